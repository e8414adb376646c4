// A line of controls above a long list: what a name must contain, and choices.
import { h } from './dom.js';

const WAIT = 200;

/** Does the change at once and asks again a moment later: whoever types is not interrupted by each letter. */
export function later(again) {
  let waiting = 0;
  return (change) => {
    change();
    clearTimeout(waiting);
    waiting = setTimeout(again, WAIT);
  };
}

/**
 * @param {{label: string, value: string, change: (typed: string) => void}} search
 * @param {{label: string, value: string, options: [string, string][], change: (value: string) => void}[]} choices
 */
export function find(search, ...choices) {
  const field = h('input', { type: 'search', class: 'grow', maxlength: 200, value: search.value, autocomplete: 'off' });
  field.addEventListener('input', () => search.change(field.value.trim()));
  return h(
    'form',
    { class: 'find no-print', role: 'search', submit: (event) => event.preventDefault() },
    h('label', { class: 'grow' }, search.label, field),
    choices.map((choice) => {
      const select = h(
        'select',
        {},
        choice.options.map(([value, text]) => h('option', { value, selected: value === choice.value }, text)),
      );
      select.addEventListener('change', () => choice.change(select.value));
      return h('label', {}, choice.label, select);
    }),
  );
}
