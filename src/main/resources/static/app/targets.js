// Every target: whether it answers, what is lost there, and what the watching costs it.
import { ask } from './api.js';
import { find, later } from './find.js';
import { h, replace, sections } from './dom.js';
import { placeOfMany } from './parts.js';
import { count, duration, millis, number, quantity, t, tn } from './words.js';

const PAGE = 50;
const MOST = 500;
/** So few need no search. */
const FEW = 20;

export function targetsView() {
  const asked = new URLSearchParams(location.search);
  const wanted = { state: asked.get('state') ?? 'all', q: asked.get('q') ?? '', limit: PAGE };
  const memory = new Map();
  let lists = [];
  const view = {
    async load() {
      // Silent ones stand first, however many there are.
      const states = wanted.state === 'all' ? ['down', 'up'] : [wanted.state];
      const mine = { ...wanted };
      const found = await Promise.all(states.map((state) => ask('/targets', { state, q: mine.q, limit: mine.limit })));
      if (mine.q === wanted.q && mine.state === wanted.state) lists = found;
    },
    draw(main, status) {
      const { all, up } = status.targetCounts;
      const again = () => view.load().then(() => view.draw(main, status), () => {});
      const rows = lists.flatMap((list) => list.targets).slice(0, wanted.limit);
      const matching = lists.reduce((sum, list) => sum + list.matching, 0);
      const sentence = all === 0 ? t('targets.none') : up < all ? tn('targets.down', all - up) : t('targets.allUp');
      document.title = `${t('nav.targets')} · Onset`;
      sections(
        main,
        [
          ['sentence', sentence, () => h('h1', {}, sentence)],
          ['hint', all === 0, () => (all === 0 ? h('p', { class: 'quiet' }, t('now.nothingWatched.hint')) : null)],
          ['find', all > FEW, (old) => (all > FEW ? (old ?? finder(wanted, again)) : null)],
          ['table', [rows, status.now], (old) => table(old, rows, status)],
          ['more', [rows.length, matching], () => more(rows.length, matching, wanted, again)],
          ['blind', status.cannotJudge, () => (status.cannotJudge.length ? cannotJudge(status) : null)],
          ['quality', status.dataQuality, () => (status.dataQuality.length ? quality(status) : null)],
        ],
        memory,
      );
    },
  };
  return view;
}

function finder(wanted, again) {
  const choose = later(again);
  return find(
    { label: t('targets.find'), value: wanted.q, change: (q) => choose(() => Object.assign(wanted, { q, limit: PAGE })) },
    {
      label: t('targets.state'),
      value: wanted.state,
      options: ['all', 'down', 'faulty', 'up'].map((state) => [state, t(`targets.state.${state}`)]),
      change: (state) => choose(() => Object.assign(wanted, { state, limit: PAGE })),
    },
  );
}

const HEADS = ['target', 'group', 'state', 'cost', 'skew', 'notes'];

/** Only the rows are replaced: whoever has scrolled or tabbed into the table stays there. */
function table(old, rows, status) {
  if (rows.length === 0) return null;
  const made =
    old ??
    h(
      'div',
      { class: 'wide-table targets', tabindex: '0', role: 'region', 'aria-label': t('nav.targets') },
      h('table', {}, h('thead', {}, h('tr', {}, HEADS.map((head) => h('th', { scope: 'col' }, t(`targets.${head}`))))), h('tbody', {})),
    );
  const now = millis(status.now);
  replace(made.querySelector('tbody'), rows.map((target) => row(target, now)));
  return made;
}

function row(target, now) {
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, `${target.kind} ${target.address}`, target.host ? h('small', {}, target.host) : null),
    h('td', {}, target.group),
    h('td', { class: target.up ? '' : 'caution-text' }, state(target, now)),
    h('td', {}, target.millisPerScrape === null ? '–' : `${number(target.millisPerScrape)}\u00a0ms, ${quantity(target.bytesPerScrape, 'bytes')}`),
    h('td', {}, target.skewP99Millis === null ? '–' : `${number(target.skewP99Millis)}\u00a0ms`),
    h('td', {}, [target.error, ...target.faults, ...target.notes].filter(Boolean).map((line) => h('p', {}, line))),
  );
}

function state(target, now) {
  if (target.since === null) return t('target.notAsked');
  const age = duration(now - millis(target.since));
  return target.up ? t('targets.answers', { age }) : t('targets.silent', { age });
}

function more(shown, matching, wanted, again) {
  if (matching === 0) return wanted.q || wanted.state !== 'all' ? h('p', { class: 'quiet' }, t('find.none')) : null;
  if (shown >= matching) return null;
  const rest = t('find.shown', { n: count(shown), all: count(matching) });
  if (wanted.limit >= MOST) return h('p', { class: 'quiet' }, rest, ' ', t('find.narrow'));
  const button = h('button', { type: 'button', class: 'link no-print' }, t('find.more'));
  button.addEventListener('click', () => {
    wanted.limit = MOST;
    again();
  });
  return h('p', { class: 'quiet' }, rest, ' ', button);
}

function cannotJudge(status) {
  return h(
    'section',
    {},
    h('h2', {}, t('targets.cannotJudge')),
    h(
      'dl',
      { class: 'reasons' },
      status.cannotJudge.map((each) => [h('dt', {}, [each.rule, placeOfMany(each)].filter(Boolean).join(t('comma'))), h('dd', {}, each.reasons.join('; '))]),
    ),
  );
}

function quality(status) {
  return h('section', {}, h('h2', {}, t('targets.quality')), h('ul', { class: 'plain' }, status.dataQuality.map((line) => h('li', {}, line))));
}
