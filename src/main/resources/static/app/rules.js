// What is looked for, and where it cannot be judged.
import { ask } from './api.js';
import { h, replace } from './dom.js';
import { placeOfMany } from './parts.js';
import { signalName } from './signals.js';
import { guide, number, t } from './words.js';

export function rulesView() {
  let rules = [];
  return {
    async load() {
      if (rules.length === 0) rules = await ask('/rules');
    },
    draw(main, status) {
      if (main.contains(document.activeElement) && document.activeElement !== main) return;
      document.title = `${t('nav.rules')} · Onset`;
      const blind = new Map();
      status.cannotJudge.forEach((each) => blind.set(each.rule, [...(blind.get(each.rule) ?? []), [placeOfMany(each), each.reasons.join('; ')].filter(Boolean).join(t('colon'))]));
      replace(
        main,
        h('h1', {}, t('rules.title', { n: number(rules.length) })),
        h('p', { class: 'quiet' }, t('rules.severities')),
        h('p', {}, h('a', { href: guide('symptoms') }, t('rules.symptoms')), ' · ', h('a', { href: guide('advice') }, t('rules.advice'))),
        h(
          'ul',
          { class: 'list' },
          rules.map((rule) =>
            h(
              'li',
              {},
              h('strong', {}, h('a', { href: guide(rule.id) }, rule.title)),
              h('p', { class: 'meta' }, `${rule.id} · ${t(`scope.${rule.scope}`)} · ${rule.severity}`),
              rule.needs.length ? h('p', { class: 'meta' }, `${t('rules.needs')}${rule.needs.map((signal) => signalName(signal)).join(t('comma'))}`) : null,
              (blind.get(rule.id) ?? []).map((line) => h('p', { class: 'caution-text' }, `${t('rules.blind')} ${line}`)),
            ),
          ),
        ),
      );
    },
  };
}
