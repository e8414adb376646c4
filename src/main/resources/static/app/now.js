// What is wrong now, one sentence each; or that nothing is, and what is not watched.
import { ask } from './api.js';
import { lanes, refresh, table } from './charts.js';
import { h, replace, sections } from './dom.js';
import { blindLines, copyable, recordingMark, sureness } from './parts.js';
import { mountPicker } from './picker.js';
import { whyBox } from './why.js';
import { count, duration, millis, number, t, tn, when } from './words.js';

const HOUR = 3_600_000;
const LANES = [
  ['job', 'util'],
  ['mount', 'miss_bps'],
  ['mount', 'get_lat'],
  ['mount', 'stage_w'],
  ['redis', 'rtt_max'],
  ['host', 'dev_q'],
];

/** Rules with more open incidents than can be read at a glance show so many, and how many more there are. */
const AT_A_GLANCE = 10;
const OF_EACH_RULE = 3;

export function nowView() {
  let open = null;
  let past = [];
  let recorded = null;
  let chosen = null;
  const memory = new Map();
  return {
    async load(changed) {
      if (open && changed?.length === 0) return;
      const asked = [
        ask('/diagnoses', { state: 'open', order: 'worst', perRule: AT_A_GLANCE, limit: 50 }),
        ask('/diagnoses', { state: 'resolved', limit: 6 }),
        recorded ?? ask('/diagnoses', { limit: 6 }),
      ];
      [open, past, recorded] = await Promise.all(asked);
      recorded = recorded.filter((each) => each.recording !== null);
    },
    draw(main, status) {
      const all = status.open.reduce((sum, rule) => sum + rule.count, 0);
      document.title = all ? `${tn('now.open', all)} · Onset` : 'Onset';
      // Out of the box there is only a recording to look at: its incidents stand where the live ones would.
      const watches = status.live && status.targetCounts.up > 0;
      const [first, ...others] = watches || open.length ? open : recorded;
      const listed = first && !first.recording ? groups(status.open, first, others, all) : others.length ? [{ rows: others, left: 0 }] : [];
      const rest = past.filter((each) => each.id !== first?.id && !others.some((other) => other.id === each.id)).slice(0, 5);
      const choose = (mount) => {
        chosen = mount;
        this.draw(main, status);
      };
      sections(
        main,
        [
          ['first', first ? [first.id, first.summary, first.detail, costs(first), first.firstCommand, first.resolved] : calmWords(status), () => (first ? firstLines(first) : calm(status))],
          ['more', listed.map((group) => [group.rule, group.left, group.rows.map((each) => [each.id, each.summary, each.confidence])]), () => more(listed)],
          ['overview', [status.lastStep, status.counts.mounts, chosen, first?.id], (old) => overview(old, status, first, chosen, choose)],
          ['notSeen', unseen(status), () => notSeen(unseen(status))],
          ['recent', rest.map((each) => each.id), () => (rest.length ? recent(rest) : null)],
        ],
        memory,
      );
    },
  };
}

/** The worst rule first; of a rule with many incidents the worst few. */
function groups(rules, first, others, all) {
  const most = all <= AT_A_GLANCE ? AT_A_GLANCE : OF_EACH_RULE;
  return rules
    .map((rule) => {
      const rows = others.filter((each) => each.rule === rule.rule).slice(0, most);
      const left = rule.count - rows.length - (rule.rule === first.rule ? 1 : 0);
      return { ...rule, rows, left: Math.max(0, left) };
    })
    .filter((group) => group.rows.length || group.left);
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

function more(listed) {
  const count = listed.reduce((sum, group) => sum + group.rows.length + group.left, 0);
  if (count === 0) return null;
  return h(
    'section',
    { class: 'others' },
    h('h2', {}, tn('now.more', count)),
    h('ul', {}, listed.map((group) => [group.rows.map(row), group.left ? folded(group) : null])),
  );
}

function row(each) {
  return h(
    'li',
    { class: `severity-${each.severity}` },
    h('a', { href: href(each) }, each.summary),
    h('span', { class: 'meta' }, recordingMark(each), since(each), ' · ', sureness(each), ' · ', each.severity),
  );
}

function folded(group) {
  const all = `/history?${new URLSearchParams({ state: 'open', rule: group.rule })}`;
  return h(
    'li',
    { class: `severity-${group.severity}` },
    h('a', { href: all }, group.rows.length ? tn('now.moreLikeIt', group.left) : tn('now.moreOfRule', group.left)),
    h('span', { class: 'meta' }, group.title),
  );
}

function calm(status) {
  const [sentence, detail] = calmWords(status);
  return h('section', { class: 'sentence well' }, h('h1', {}, sentence), h('p', {}, detail));
}

function calmWords(status) {
  const { all, up } = status.targetCounts;
  if (all === 0) return [t('now.nothingWatched'), t('now.nothingWatched.hint')];
  return [
    t('now.allWell'),
    t('now.allWell.detail', {
      rules: tn('foot.rules', status.rules),
      targets: count(up),
      all: count(all),
      since: when(millis(status.since)),
      age: duration(millis(status.now) - millis(status.since)),
    }),
  ];
}

const SILENT_AT_MOST = 4;

/** What is not watched stands right beside what is. */
function unseen(status) {
  const { all, up } = status.targetCounts;
  const silent = status.targets.filter((target) => !target.up).slice(0, SILENT_AT_MOST);
  const more = all - up - silent.length;
  return [
    ...(all === 0 && status.recording !== null ? [`${t('now.nothingWatched')}${t('join')}${t('now.nothingWatched.hint')}`] : []),
    ...silent.map((target) => `${target.kind} ${target.address}: ${target.error ?? t('target.notAsked')}`),
    ...(more > 0 ? [tn('now.moreSilent', more)] : []),
    ...blindLines(status.cannotJudge),
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
  const mount = chosen ?? (await mountOf(first, mounts));
  const to = millis(status.lastStep);
  const window = { from: new Date(to - HOUR).toISOString(), to: new Date(to).toISOString() };
  const answers = await Promise.all(
    whatToAsk(mount ?? status.scopes[0], first).map(async ([scope, signals]) => {
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
    const track = loudest((known.find((answer) => has(answer, signal)) ?? known[0])?.tracks.filter((each) => each.signal === signal) ?? []);
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
  let picker = pickers.get(section);
  if (!picker || picker.mounts !== status.counts.mounts) {
    picker = mountPicker(mounts, status.counts.mounts, choose);
    pickers.set(section, picker);
  }
  picker.show(mount);
  const focused = document.activeElement;
  replace(
    section,
    h('div', { class: 'section-head' }, h('h2', {}, t('overview.title')), picker.node),
    lanes(series, rows, { height: 44, values: false, label: t('overview.keys'), since }),
    asTable(() => shown.get(section)),
    mount ? whyBox(() => mount) : null,
  );
  if (section.contains(focused)) focused.focus(); // whoever chose a mount may choose the next
}

const pickers = new WeakMap();

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

const mountsOfGroups = new Map();

/** The mount that an incident is about, or one of its group. */
async function mountOf(diagnosis, mounts) {
  if (!diagnosis) return mounts[0] ?? null;
  const { scope } = diagnosis;
  if (scope.kind === 'mount') return scope;
  const listed = mounts.find((each) => each.group === scope.group);
  if (listed) return listed;
  if (!mountsOfGroups.has(scope.group)) {
    try {
      const found = await ask('/scopes', { kind: 'mount', group: scope.group, limit: 1 });
      mountsOfGroups.set(scope.group, found.scopes[0] ?? null);
    } catch {
      return mounts[0] ?? null;
    }
  }
  return mountsOfGroups.get(scope.group) ?? mounts[0] ?? null;
}

/** The mount and what it depends on; first what the incident itself is about, where that is a certain Redis or host. */
function whatToAsk(mount, diagnosis) {
  const signals = LANES.map(([, signal]) => signal);
  const about = diagnosis?.scope;
  const own = about && about.kind !== 'mount' ? LANES.filter(([kind]) => kind === about.kind).map(([, signal]) => signal) : [];
  return own.length && about.group === mount.group ? [[about, own], [mount, signals]] : [[mount, signals]];
}

function has(answer, signal) {
  return answer.tracks.some((track) => track.signal === signal);
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
