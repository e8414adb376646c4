// What is wrong now, one sentence each; or that nothing is, and what is not watched.
import { ask } from './api.js';
import { lanes, refresh, table } from './charts.js';
import { h, replace, sections } from './dom.js';
import { copyable, place, recordingMark, sureness } from './parts.js';
import { duration, millis, number, t, tn, when } from './words.js';

const HOUR = 3_600_000;
const LANES = [
  ['job', 'util'],
  ['mount', 'miss_bps'],
  ['mount', 'get_lat'],
  ['mount', 'stage_w'],
  ['redis', 'rtt_max'],
  ['host', 'dev_q'],
];

export function nowView() {
  let open = [];
  let past = [];
  let recorded = [];
  let chosen = null;
  const memory = new Map();
  return {
    async load() {
      [open, past] = await Promise.all([ask('/diagnoses', { state: 'open', limit: 50 }), ask('/diagnoses', { limit: 6 })]);
      open.sort(byWeight);
      recorded = past.filter((each) => each.recording !== null);
      past = past.filter((each) => each.state === 'resolved').slice(0, 5);
    },
    draw(main, status) {
      document.title = open.length ? `${tn('now.open', open.length)} · Onset` : 'Onset';
      // Out of the box there is only a recording to look at: its incidents stand where the live ones would.
      const watches = status.live && status.targets.some((target) => target.up);
      const [first, ...others] = watches || open.length ? open : recorded;
      const rest = past.filter((each) => each !== first);
      const choose = (mount) => {
        chosen = mount;
        this.draw(main, status);
      };
      sections(
        main,
        [
          ['first', first ? [first.id, first.summary, first.detail, costs(first), first.firstCommand, first.resolved] : calmWords(status), () => (first ? firstLines(first) : calm(status))],
          ['more', others.map((each) => [each.id, each.summary, each.confidence]), () => (others.length ? more(others) : null)],
          ['overview', [status.lastStep, status.scopes, chosen, first?.id], (old) => overview(old, status, first, chosen, choose)],
          ['notSeen', unseen(status), () => notSeen(unseen(status))],
          ['recent', rest.map((each) => each.id), () => (rest.length ? recent(rest) : null)],
        ],
        memory,
      );
    },
  };
}

function byWeight(a, b) {
  return a.severity.localeCompare(b.severity) || millis(b.opened) - millis(a.opened);
}

function firstLines(first) {
  return h(
    'section',
    { class: `sentence severity-${first.severity}` },
    h('h1', {}, first.summary),
    h('p', { class: 'meta' }, recordingMark(first), first.resolved === null ? since(first) : ended(first), ' · ', sureness(first), ' · ', first.severity),
    first.detail || costs(first) ? h('p', {}, [first.detail, costs(first)].filter(Boolean).join(t('join'))) : null,
    first.firstCommand
      ? h('div', { class: 'first-remedy' }, h('span', {}, t('now.firstDo')), copyable(first.firstCommand))
      : first.firstRemedy
        ? h('p', {}, `${t('now.firstDo')} ${first.firstRemedy}`)
        : null,
    h('p', {}, h('a', { class: 'go', href: href(first) }, t('now.evidence'), ' →')),
  );
}

function more(others) {
  return h(
    'section',
    { class: 'others' },
    h('h2', {}, tn('now.more', others.length)),
    h(
      'ul',
      {},
      others.map((each) =>
        h(
          'li',
          { class: `severity-${each.severity}` },
          h('a', { href: href(each) }, each.summary),
          h('span', { class: 'meta' }, recordingMark(each), since(each), ' · ', sureness(each), ' · ', each.severity),
        ),
      ),
    ),
  );
}

function calm(status) {
  const [sentence, detail] = calmWords(status);
  return h('section', { class: 'sentence well' }, h('h1', {}, sentence), h('p', {}, detail));
}

function calmWords(status) {
  if (status.targets.length === 0) return [t('now.nothingWatched'), t('now.nothingWatched.hint')];
  return [
    t('now.allWell'),
    t('now.allWell.detail', {
      rules: tn('foot.rules', status.rules),
      targets: number(status.targets.filter((target) => target.up).length),
      all: number(status.targets.length),
      since: when(millis(status.since)),
      age: duration(millis(status.now) - millis(status.since)),
    }),
  ];
}

/** What is not watched stands right beside what is. */
function unseen(status) {
  return [
    ...(status.targets.length === 0 && status.recording !== null ? [`${t('now.nothingWatched')}${t('join')}${t('now.nothingWatched.hint')}`] : []),
    ...status.targets.filter((target) => !target.up).map((target) => `${target.kind} ${target.address}: ${target.error ?? t('target.notAsked')}`),
    ...status.cannotJudge.map((each) => `${each.rule}, ${place(each.scope)}: ${each.reasons.join('; ')}`),
    ...status.dataQuality,
  ];
}

function notSeen(lines) {
  if (lines.length === 0) return null;
  return h(
    'section',
    {},
    h('h2', {}, t('now.notSeen')),
    h('ul', { class: 'plain' }, lines.slice(0, 8).map((line) => h('li', {}, line))),
    lines.length > 8 ? h('p', { class: 'quiet' }, h('a', { href: '/targets' }, t('now.notSeenMore', { n: lines.length - 8 }))) : null,
  );
}

function recent(past) {
  return h(
    'section',
    {},
    h('h2', {}, t('now.recent')),
    h(
      'ul',
      { class: 'plain' },
      past.map((each) =>
        h(
          'li',
          {},
          h('a', { href: href(each) }, each.summary),
          ' ',
          h('span', { class: 'meta' }, recordingMark(each), ended(each)),
        ),
      ),
    ),
    h('p', {}, h('a', { href: '/history' }, t('now.allHistory'))),
  );
}

let asked = 0;

/** The section stands at once; its lanes follow when they have come. */
function overview(old, status, first, chosen, choose) {
  if (status.scopes.length === 0 || status.lastStep === null) return null;
  const section = old ?? h('section', { class: 'overview', 'aria-label': t('overview.label') });
  fillOverview(section, status, first, chosen, choose);
  return section;
}

async function fillOverview(section, status, first, chosen, choose) {
  const mine = ++asked;
  const mounts = status.scopes.filter((scope) => scope.kind === 'mount');
  const mount = chosen ?? mountOf(first, mounts) ?? mounts[0] ?? null;
  const scopes = related(status.scopes, mount, first);
  const to = millis(status.lastStep);
  const window = { from: new Date(to - HOUR).toISOString(), to: new Date(to).toISOString() };
  const answers = await Promise.all(
    Object.values(scopes).map(async (scope) => {
      const signals = LANES.filter(([kind]) => kind === scope.kind).map(([, signal]) => signal);
      try {
        return await ask('/timeline', { ...scope, ...window, signals: signals.join(',') });
      } catch {
        return null; // a scope may be gone between two requests; the next step tells
      }
    }),
  );
  if (mine !== asked) return; // a later step was faster
  const known = answers.filter(Boolean);
  const series = { ...(known[0] ?? {}), tracks: [], masks: known.flatMap((answer) => answer.masks) };
  const rows = LANES.flatMap(([, signal]) => {
    const track = loudest(known.flatMap((answer) => answer.tracks).filter((each) => each.signal === signal));
    return track && series.start ? [{ track: aligned(track, known, series), before: null, onset: null }] : [];
  });
  series.tracks = rows.map((row) => row.track);
  if (rows.length === 0) {
    if (known.length) replace(section);
    return;
  }
  const since = first && !first.recording ? millis(first.firstSeen) : null;
  shown.set(section, [series, rows]);
  if (refresh(section.querySelector('.lanes'), series, rows, since)) return;
  replace(
    section,
    h('div', { class: 'section-head' }, h('h2', {}, t('overview.title')), picker(mounts, mount, choose)),
    lanes(series, rows, { height: 44, values: false, label: t('overview.keys'), since }),
    asTable(() => shown.get(section)),
  );
}

const shown = new WeakMap();

/** Answers may start at different steps; all are drawn from the first answer's start. */
function aligned(track, answers, series) {
  const answer = answers.find((each) => each.tracks.includes(track));
  const shift = Math.round((Date.parse(answer.start) - Date.parse(series.start)) / series.stepMillis);
  if (shift === 0) return track;
  const values = shift > 0 ? [...Array(shift).fill(null), ...track.values] : track.values.slice(-shift);
  const gaps = track.gaps.map((gap) => ({ ...gap, first: gap.first + shift, last: gap.last + shift })).filter((gap) => gap.last >= 0);
  return { ...track, values, gaps };
}

/** A host has several disks: the one that does most is shown. */
function loudest(tracks) {
  const total = (track) => track.values.reduce((sum, value) => sum + (value ?? 0), 0);
  return tracks.reduce((best, track) => (best === null || total(track) > total(best) ? track : best), null);
}

function mountOf(diagnosis, mounts) {
  if (!diagnosis) return null;
  return (
    mounts.find((scope) => scope.id === diagnosis.scope.id && scope.group === diagnosis.scope.group) ??
    mounts.find((scope) => scope.group === diagnosis.scope.group) ??
    null
  );
}

function related(scopes, mount, diagnosis) {
  const group = mount?.group ?? diagnosis?.scope.group ?? scopes[0].group;
  const inGroup = scopes.filter((scope) => scope.group === group);
  const pick = (kind, fits = () => true) => inGroup.find((scope) => scope.kind === kind && fits(scope)) ?? inGroup.find((scope) => scope.kind === kind);
  const found = {
    job: pick('job'),
    mount: mount ?? pick('mount'),
    redis: pick('redis', (scope) => scope.id === diagnosis?.scope.id),
    host: pick('host', (scope) => mount?.id.includes(` on ${scope.id} at `)),
  };
  return Object.fromEntries(Object.entries(found).filter(([, scope]) => scope));
}

function picker(mounts, mount, choose) {
  if (mounts.length < 2) return mount ? h('p', { class: 'meta' }, mount.id) : null;
  const select = h(
    'select',
    { 'aria-label': t('overview.mount') },
    mounts.map((each, i) => h('option', { value: i, selected: each === mount }, each.id)),
  );
  select.addEventListener('change', () => choose(mounts[Number(select.value)]));
  return select;
}

/** @param {() => [object, object[]]} latest what the charts show at the time of asking */
export function asTable(latest) {
  const holder = h('div', { hidden: true });
  const button = h('button', { type: 'button', class: 'link no-print', 'aria-expanded': 'false' }, t('table.show'));
  button.addEventListener('click', () => {
    holder.hidden = !holder.hidden;
    button.setAttribute('aria-expanded', String(!holder.hidden));
    button.textContent = t(holder.hidden ? 'table.show' : 'table.hide');
    replace(holder, holder.hidden ? null : table(...latest()));
  });
  return [h('p', {}, button), holder];
}

function href(diagnosis) {
  return `/diagnoses/${encodeURIComponent(diagnosis.id)}`;
}

function since(diagnosis) {
  return t('since', { at: when(millis(diagnosis.opened ?? diagnosis.firstSeen)) });
}

function ended(diagnosis) {
  const from = millis(diagnosis.opened ?? diagnosis.firstSeen);
  const to = millis(diagnosis.resolved);
  return t('ended', { at: when(from), length: duration(to - from) });
}

function costs(diagnosis) {
  const lost = diagnosis.cost.acceleratorSeconds;
  const minutes = (millis(diagnosis.lastSeen) - millis(diagnosis.firstSeen)) / 60_000;
  if (!lost || minutes <= 0 || diagnosis.resolved !== null) return '';
  return t('now.costs', { n: number(lost / 60 / minutes) });
}
