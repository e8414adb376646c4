// Every diagnosis that was kept, newest first; of the open ones the worst first.
import { ask } from './api.js';
import { h, sections } from './dom.js';
import { find, later } from './find.js';
import { lostTime, place, recordingMark, sureness } from './parts.js';
import { count, duration, millis, t, when } from './words.js';

const PAGE = 100;
const MOST = 500;
/** So few need no search. */
const FEW = 20;

export function historyView() {
  const asked = new URLSearchParams(location.search);
  const wanted = { state: asked.get('state') ?? 'all', rule: asked.get('rule') ?? '', q: asked.get('q') ?? '', limit: PAGE };
  const memory = new Map();
  let all = null;
  let rules = [];
  const narrowed = () => wanted.q || wanted.rule || wanted.state !== 'all';
  const view = {
    async load(changed) {
      if (all && changed?.length === 0) return;
      const mine = { ...wanted };
      const { state, limit } = mine;
      const query = { state, limit, order: state === 'open' ? 'worst' : 'newest', ...(mine.q && { q: mine.q }), ...(mine.rule && { rule: mine.rule }) };
      const [found, known] = await Promise.all([ask('/diagnoses', query), rules.length ? rules : ask('/rules')]);
      rules = known;
      if (Object.keys(mine).every((key) => mine[key] === wanted[key])) all = found;
    },
    draw(main) {
      const again = () => view.load().then(() => view.draw(main), () => {});
      document.title = `${t('nav.history')} · Onset`;
      const searched = narrowed() || all.length > FEW;
      sections(
        main,
        [
          ['title', null, () => h('h1', {}, t('nav.history'))],
          ['find', null, (old) => old ?? (searched ? finder(wanted, rules, again) : null)],
          ['none', [all.length, narrowed()], () => (all.length ? null : h('p', { class: 'quiet' }, t(narrowed() ? 'find.none' : 'history.none')))],
          ['list', all, () => (all.length ? h('ul', { class: 'list' }, all.map(row)) : null)],
          ['more', [all.length, wanted.limit], () => (all.length < wanted.limit ? null : more(all.length, wanted, again))],
        ],
        memory,
      );
    },
  };
  return view;
}

function finder(wanted, rules, again) {
  const choose = later(again);
  return find(
    { label: t('history.find'), value: wanted.q, change: (q) => choose(() => Object.assign(wanted, { q, limit: PAGE })) },
    {
      label: t('history.state'),
      value: wanted.state,
      options: ['all', 'open', 'resolved'].map((state) => [state, t(`history.state.${state}`)]),
      change: (state) => choose(() => Object.assign(wanted, { state, limit: PAGE })),
    },
    {
      label: t('history.rule'),
      value: wanted.rule,
      options: [['', t('history.rule.all')], ...rules.map((rule) => [rule.id, rule.title])],
      change: (rule) => choose(() => Object.assign(wanted, { rule, limit: PAGE })),
    },
  );
}

function more(shown, wanted, again) {
  if (wanted.limit >= MOST) return h('p', { class: 'quiet' }, t('history.most', { n: count(shown) }), ' ', t('find.narrow'));
  const button = h('button', { type: 'button', class: 'link no-print' }, t('find.more'));
  button.addEventListener('click', () => {
    wanted.limit = MOST;
    again();
  });
  return h('p', {}, button);
}

function row(each) {
  const from = millis(each.opened ?? each.firstSeen);
  const to = millis(each.resolved) ?? millis(each.lastSeen);
  const lost = each.cost.acceleratorSeconds;
  return h(
    'li',
    { class: each.state === 'resolved' ? 'past' : `severity-${each.severity}` },
    h('a', { href: `/diagnoses/${encodeURIComponent(each.id)}` }, each.summary),
    h(
      'p',
      { class: 'meta' },
      recordingMark(each),
      [
        when(from),
        duration(to - from),
        t(`state.${each.state}`),
        sureness(each),
        each.severity,
        place(each.scope),
        lost ? lostTime(lost) : null,
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
}
