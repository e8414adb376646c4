-- A diagnosis: what lists need as columns, the whole of it as JSON.
create table diagnosis (
  id          text    primary key not null,
  rule        text    not null,
  scope_kind  text    not null,
  scope_group text    not null,
  scope_id    text    not null,
  state       text    not null,
  severity    text    not null,
  first_seen  integer not null,
  opened      integer not null,
  last_seen   integer not null,
  resolved    integer,
  recording   text,
  content     text    not null
) strict;

create index diagnosis_newest on diagnosis (opened desc, id) where opened > 0;
create index diagnosis_unresolved on diagnosis (first_seen) where state <> 'RESOLVED';

-- One row a change and receiver, queued in the transaction that stores the change.
create table outbox (
  id            integer primary key autoincrement,
  receiver      text    not null,
  diagnosis     text    not null,
  kind          text    not null,
  sequence      integer not null,
  content       text    not null,
  state         text    not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'REFUSED')),
  queued        integer not null,
  due           integer not null,
  claimed_until integer not null default 0,
  attempts      integer not null default 0,
  attempted     integer,
  reason_en     text    not null default '',
  reason_zh     text    not null default '',
  repeats       integer not null default 0,
  unique (diagnosis, kind, sequence, receiver)
) strict;

create index outbox_waiting on outbox (receiver, due) where state = 'PENDING';

-- What people said.
create table mark (
  id        integer primary key autoincrement,
  diagnosis text    not null,
  kind      text    not null,
  at        integer not null,
  author    text    not null,
  note      text    not null,
  ends      integer,
  check (kind <> 'SILENCED' or (ends is not null and ends > at))
) strict;

create index mark_diagnosis on mark (diagnosis, id);
