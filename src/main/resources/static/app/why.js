// Why a rule says nothing about a mount: each condition as it stood at the last step.
import { ask } from './api.js';
import { h, replace } from './dom.js';
import { guide, t } from './words.js';

/**
 * Closed until somebody asks; then it asks the service once each time that it is opened.
 *
 * @param {() => {kind: string, group: string, id: string} | null} scope what is asked about
 */
export function whyBox(scope) {
  const list = h('div', {});
  const box = h('details', { class: 'why' }, h('summary', {}, t('why.title')), list);
  box.addEventListener('toggle', async () => {
    const asked = scope();
    if (!box.open || !asked) return;
    replace(list, h('p', { class: 'quiet' }, t('why.asking')));
    try {
      const { kind, group, id } = asked;
      const why = await ask('/why', { kind, group, id });
      replace(list, h('p', { class: 'quiet' }, t('why.order', { id })), ...why.rules.map(rule));
    } catch (refused) {
      replace(list, h('p', {}, refused.message));
    }
  });
  return box;
}

function rule(each) {
  return h(
    'details',
    {},
    h('summary', {}, each.title, ' ', h('span', { class: 'meta' }, held(each))),
    each.checks.length
      ? h(
          'table',
          {},
          h('thead', {}, h('tr', {}, ['condition', 'value', 'bound', 'met'].map((column) => h('th', { scope: 'col' }, t(`why.${column}`))))),
          h(
            'tbody',
            {},
            each.checks.map((check) =>
              h('tr', {}, h('td', {}, check.condition), h('td', {}, check.value), h('td', {}, check.bound), h('td', {}, t(check.met ? 'why.yes' : 'why.no'))),
            ),
          ),
        )
      : null,
    each.missing.length ? h('ul', {}, each.missing.map((missing) => h('li', {}, `${missing.what}${t('colon')}${missing.why}`))) : null,
    h('p', {}, h('a', { href: guide(each.rule) }, each.rule)),
  );
}

function held(each) {
  if (each.answer !== 'quiet') return t(`why.${each.answer}`);
  return t('why.holds', { met: each.checks.filter((check) => check.met).length, all: each.checks.length });
}
