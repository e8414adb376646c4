// Small parts that several pages share.
import { copy, h, say } from './dom.js';
import { number, t, tn } from './words.js';

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

/** One scope that stands for as many as have the same trouble. */
export function placeOfMany(each) {
  if (each.scope.group === '') return ''; // nothing of its kind is watched
  const first = place(each.scope);
  return each.scopes > 1 ? `${first}${tn('blind.andMore', each.scopes - 1)}` : first;
}

/** What cannot be judged: rules that miss the same at the same kind of thing are one line. */
export function blindLines(cannotJudge) {
  const lines = new Map();
  cannotJudge.forEach((each) => {
    const why = each.reasons.join('; ');
    const key = `${each.scope.kind} ${each.scopes} ${why}`;
    lines.set(key, { ...each, why, rules: [...(lines.get(key)?.rules ?? []), each.rule] });
  });
  return [...lines.values()].map((line) => {
    const who = line.rules.length === 1 ? line.rules[0] : tn('blind.rules', line.rules.length);
    return `${[who, placeOfMany(line)].filter(Boolean).join(t('comma'))}${t('colon')}${line.why}`;
  });
}
