// Every target: whether it answers, what is lost there, and what the watching costs it.
import { h, replace } from './dom.js';
import { duration, millis, number, quantity, t, tn } from './words.js';

export function targetsView() {
  return {
    async load() {},
    draw(main, status) {
      if (main.contains(document.activeElement) && document.activeElement !== main) return;
      document.title = `${t('nav.targets')} · Onset`;
      const down = status.targets.filter((target) => !target.up).length;
      replace(
        main,
        h('h1', {}, status.targets.length === 0 ? t('targets.none') : down ? tn('targets.down', down) : t('targets.allUp')),
        status.targets.length === 0 ? h('p', { class: 'quiet' }, t('now.nothingWatched.hint')) : targets(status),
        status.cannotJudge.length ? cannotJudge(status) : null,
        status.dataQuality.length
          ? h('section', {}, h('h2', {}, t('targets.quality')), h('ul', { class: 'plain' }, status.dataQuality.map((line) => h('li', {}, line))))
          : null,
      );
    },
  };
}

function targets(status) {
  const now = millis(status.now);
  const sorted = [...status.targets].sort((a, b) => Number(a.up) - Number(b.up));
  return h(
    'div',
    { class: 'wide-table targets', tabindex: '0', role: 'region', 'aria-label': t('nav.targets') },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ['target', 'group', 'state', 'cost', 'skew', 'notes'].map((head) => h('th', { scope: 'col' }, t(`targets.${head}`))))),
      h(
        'tbody',
        {},
        sorted.map((target) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, `${target.kind} ${target.address}`, target.host ? h('small', {}, target.host) : null),
            h('td', {}, target.group),
            h('td', { class: target.up ? '' : 'caution-text' }, state(target, now)),
            h('td', {}, target.millisPerScrape === null ? '–' : `${number(target.millisPerScrape)}\u00a0ms, ${quantity(target.bytesPerScrape, 'bytes')}`),
            h('td', {}, target.skewP99Millis === null ? '–' : `${number(target.skewP99Millis)}\u00a0ms`),
            h('td', {}, [target.error, ...target.faults, ...target.notes].filter(Boolean).map((line) => h('p', {}, line))),
          ),
        ),
      ),
    ),
  );
}

function state(target, now) {
  if (target.since === null) return t('target.notAsked');
  const age = duration(now - millis(target.since));
  return target.up ? t('targets.answers', { age }) : t('targets.silent', { age });
}

function cannotJudge(status) {
  return h(
    'section',
    {},
    h('h2', {}, t('targets.cannotJudge')),
    h(
      'dl',
      { class: 'reasons' },
      status.cannotJudge.map((each) => [h('dt', {}, `${each.rule}, ${each.scope.id}`), h('dd', {}, each.reasons.join('; '))]),
    ),
  );
}
