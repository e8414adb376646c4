// One file for every page: reads the address, draws the page, and keeps it fresh.
import { ask, listen, Refused } from './api.js';
import { redraw } from './charts.js';
import { h, keep, replace, sections } from './dom.js';
import { historyView } from './history.js';
import { incidentView } from './incident.js';
import { nowView } from './now.js';
import { rulesView } from './rules.js';
import { targetsView } from './targets.js';
import { clock, duration, hourMinute, lang, millis, t, tn, when, zone } from './words.js';

const main = document.getElementById('main');
const connection = { lostSince: null };
let status = null;
let clockSkew = 0;

const PAGES = [
  [/^\/$/, nowView],
  [/^\/diagnoses\/([^/]+)$/, incidentView],
  [/^\/history$/, historyView],
  [/^\/targets$/, targetsView],
  [/^\/rules$/, rulesView],
];

const [view, match] = route(location.pathname);
const page = view(match);

function route(path) {
  for (const [pattern, found] of PAGES) {
    const matched = path.match(pattern);
    if (matched) return [found, matched];
  }
  return [nowView, ['/']];
}

async function load(changed) {
  try {
    [status] = await Promise.all([ask('/status'), page.load(changed)]);
    connection.lostSince = null;
    clockSkew = Date.parse(status.now) - Date.now();
    frame();
    page.draw(main, status);
    main.removeAttribute('aria-busy');
  } catch (error) {
    trouble(error);
  }
}

/** What is already on the page stays; only an empty page is filled with the reason. */
function trouble(error) {
  // A service that starts again or stumbles is as good as one that is away: what is shown stays, marked as old.
  if (!(error instanceof Refused) || (error.status >= 500 && main.querySelector('h1'))) {
    console.info('the service does not answer', error);
    connection.lostSince ??= Date.now();
    frame();
    if (!main.hasChildNodes() || main.querySelector('.loading')) message(t('state.unreachable'), t('state.unreachable.hint'));
    setTimeout(load, 5000);
    return;
  }
  main.removeAttribute('aria-busy');
  frame();
  if (error.status === 401 || error.status === 403) message(t('state.noRight'), t('state.noRight.hint'));
  else if (error.status === 404) message(t('state.notThere'), t('state.notThere.hint'));
  else message(t('state.failed'), error.message);
}

function message(sentence, hint) {
  replace(main, h('h1', {}, sentence), h('p', { class: 'quiet' }, hint), h('p', {}, h('a', { href: '/' }, t('nav.now'))));
}

const topMemory = new Map();
const footMemory = new Map();

function frame() {
  const seen = status ? counts().join(' · ') : '';
  const now = h('p', { class: 'pulse' }, pulse());
  const watched = status ? watching() : '';
  sections(
    document.getElementById('top'),
    [
      ['mark', null, () => h('a', { class: 'mark', href: '/' }, 'Onset')],
      ['counts', seen, () => h('p', { class: 'counts' }, seen)],
      ['pulse', now.textContent, () => now],
      ['switches', null, () => h('div', { class: 'switches' }, languages(), themes())],
    ],
    topMemory,
  );
  if (!status && main.getAttribute('aria-busy')) return; // the foot comes with the content, or it would be pushed down
  sections(
    document.getElementById('foot'),
    [
      ['watching', watched, () => h('p', {}, watched)],
      ['nav', null, navigation],
    ],
    footMemory,
  );
}

function navigation() {
  const link = (name) => {
    const href = name === 'now' ? '/' : `/${name}`;
    return h('a', { href, 'aria-current': location.pathname === href ? 'page' : null }, t(`nav.${name}`));
  };
  return h('nav', { 'aria-label': t('nav.label') }, ['now', 'history', 'targets', 'rules'].map(link), h('a', { href: '/openapi.yaml' }, 'API'));
}

function counts() {
  const { volumes, mounts, hosts, redis, accelerators } = status.counts;
  return [
    tn('count.volumes', volumes),
    tn('count.mounts', mounts),
    tn('count.hosts', hosts),
    tn('count.redis', redis),
    accelerators ? tn('count.accelerators', accelerators) : null,
  ].filter(Boolean);
}

/** Whether what is shown is true now: live, stale, lost, or a recording. */
function pulse() {
  if (connection.lostSince !== null) {
    return h('span', { class: 'caution-text' }, `○ ${t('pulse.lost', { at: clock(connection.lostSince) })}`);
  }
  if (!status) return '';
  const last = millis(status.lastStep);
  const step = last === null ? t('pulse.noStep') : t('pulse.last', { at: when(last), zone });
  const recorded = status.recording === null ? null : h('span', { class: 'recording' }, t('recording.named', { name: status.recording }));
  if (!status.live) return [h('span', {}, step), ' ', recorded ?? t('pulse.notLive')];
  const age = last === null ? 0 : Date.now() + clockSkew - last;
  if (age > 3 * status.stepMillis) {
    return [recorded, ' ', h('span', {}, step), ' ', h('span', { class: 'caution-text' }, `○ ${t('pulse.stale', { age: duration(age) })}`)];
  }
  return [recorded, ' ', h('span', {}, step), ' ', h('span', { class: 'live' }, h('span', { 'aria-hidden': 'true' }, '● '), t('pulse.live'))];
}

function watching() {
  const parts = [tn('foot.rules', status.rules)];
  const blind = new Set(status.cannotJudge.map((each) => each.rule)).size;
  if (blind) {
    const first = status.cannotJudge[0];
    parts.push(`${tn('foot.cannotJudge', blind)}${first.reasons[0] ?? first.rule}`);
  }
  const { all, up, notAsked } = status.targetCounts;
  const down = all - up - notAsked;
  if (down) parts.push(tn('foot.down', down));
  if (status.silenced) {
    const last = Math.max(...status.silences.map((silence) => Date.parse(silence.until)));
    parts.push(`${tn('foot.silences', status.silenced)}${t('foot.silencesEnd', { at: hourMinute(last) })}`);
  }
  if (status.undelivered) parts.push(tn('foot.undelivered', status.undelivered));
  if (status.storeTrouble) parts.push(status.storeTrouble);
  parts.push(t('foot.zone', { zone }));
  return parts.join(' · ');
}

function languages() {
  const choose = (next) => () => {
    keep('onset.lang', next);
    location.reload();
  };
  return [
    h('button', { type: 'button', lang: 'en', 'aria-pressed': lang === 'en' ? 'true' : 'false', click: choose('en') }, 'EN'),
    h('button', { type: 'button', lang: 'zh-CN', 'aria-pressed': lang === 'zh' ? 'true' : 'false', click: choose('zh') }, '中文'),
  ];
}

function themes() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const label = () => t(dark() ? 'theme.toLight' : 'theme.toDark');
  const button = h('button', { type: 'button', class: 'theme', 'aria-label': label(), title: label() }, '◐');
  button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    keep('onset.theme', root.dataset.theme);
    button.setAttribute('aria-label', label());
    button.title = label();
    redraw();
  });
  return button;
}

document.getElementById('skip').textContent = t('skip');
main.setAttribute('aria-busy', 'true');
frame();
const slow = setTimeout(() => {
  if (!main.hasChildNodes()) replace(main, h('p', { class: 'quiet loading' }, t('state.loading')));
}, 400);
load().finally(() => clearTimeout(slow));

listen({
  tick: (changed) => {
    connection.lostSince = null;
    load(changed);
  },
  lost: (since) => {
    connection.lostSince = since;
    frame();
  },
  back: () => {
    connection.lostSince = null;
    load();
  },
});

// Steps that stop coming must show without any event.
setInterval(() => {
  if (status && !document.hidden && connection.lostSince === null) frame();
}, 5000);
