// Every diagnosis that was kept, newest first.
import { ask } from './api.js';
import { h, replace } from './dom.js';
import { lostTime, place, recordingMark, sureness } from './parts.js';
import { duration, millis, t, when } from './words.js';

export function historyView() {
  let all = [];
  let shown = '';
  return {
    async load() {
      all = await ask('/diagnoses', { limit: 500 });
    },
    draw(main) {
      const state = JSON.stringify(all);
      if (state === shown) return;
      shown = state;
      document.title = `${t('nav.history')} · Onset`;
      replace(
        main,
        h('h1', {}, t('nav.history')),
        all.length === 0
          ? h('p', { class: 'quiet' }, t('history.none'))
          : h('ul', { class: 'list' }, all.map(row)),
      );
    },
  };
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
