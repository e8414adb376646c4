// Small parts that several pages share.
import { copy, h, say } from './dom.js';
import { number, t } from './words.js';

export function copyable(command) {
  const button = h('button', { type: 'button', class: 'copy no-print' }, t('copy'));
  let back = 0;
  button.addEventListener('click', async () => {
    try {
      await copy(command);
      button.textContent = t('copied');
    } catch {
      button.textContent = t('notCopied');
    }
    say(button.textContent);
    clearTimeout(back);
    back = setTimeout(() => (button.textContent = t('copy')), 2000);
  });
  return h('div', { class: 'command' }, h('code', {}, words(command)), button);
}

/** A line may break between words but not at a hyphen, or "-p" would read as "-" and "p". */
function words(command) {
  return command.split(/( +|\n)/).map((word) => (word.trim() ? h('span', {}, word) : word));
}

/** Lost accelerator time, in the unit that suits it. */
export function lostTime(seconds) {
  return seconds < 120 ? t('cost.seconds', { n: number(seconds) }) : t('cost.minutes', { n: number(seconds / 60) });
}

export function recordingMark(diagnosis) {
  return diagnosis.recording === null ? null : [h('span', { class: 'recording' }, t('recording.short')), ' '];
}

export function sureness(diagnosis) {
  return t(`confidence.${diagnosis.confidence}`);
}

export function place(scope) {
  return scope.kind === 'mount' || scope.kind === 'target' ? scope.id : `${t(`scope.${scope.kind}`)} ${scope.id}`;
}
