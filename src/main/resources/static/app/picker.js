// Chooses the mount that is shown: from a list while it is short, by a part of its name beyond.
import { ask } from './api.js';
import { h, replace } from './dom.js';
import { count as whole, t } from './words.js';

const WAIT = 200;

/**
 * @param {object[]} some mounts, all of them while there are few
 * @param {number} count of all mounts
 * @param {(mount: object) => void} choose
 * @returns {{mounts: number, node: Element, show: (mount: object) => void}}
 */
export function mountPicker(some, count, choose) {
  const made = count < 2 ? single() : count <= some.length ? short(some, choose) : search(some, count, choose);
  return { mounts: count, ...made };
}

function single() {
  const node = h('p', { class: 'meta' });
  return { node, show: (mount) => (node.textContent = mount?.id ?? '') };
}

function short(mounts, choose) {
  const node = h('select', { 'aria-label': t('overview.mount') }, mounts.map((each, i) => h('option', { value: i }, each.id)));
  node.addEventListener('change', () => choose(mounts[Number(node.value)]));
  return {
    node,
    show: (mount) => (node.value = String(mounts.findIndex((each) => each.id === mount?.id && each.group === mount?.group))),
  };
}

function search(some, count, choose) {
  const known = new Map();
  const list = h('datalist', { id: 'mounts' });
  const field = h('input', { type: 'search', list: 'mounts', class: 'wide', autocomplete: 'off', 'aria-label': t('overview.findMount', { n: whole(count) }) });
  const offer = (mounts) => {
    mounts.forEach((mount) => known.set(name(mount), mount));
    replace(list, mounts.map((mount) => h('option', { value: name(mount) })));
  };
  let waiting = 0;
  field.addEventListener('input', () => {
    clearTimeout(waiting);
    const mount = known.get(field.value);
    if (mount) choose(mount);
    else waiting = setTimeout(() => find(field.value), WAIT);
  });
  const find = async (typed) => {
    try {
      const found = await ask('/scopes', { kind: 'mount', q: typed.slice(0, 200), limit: 20 });
      if (field.value === typed) offer(found.scopes);
    } catch {
      // the next letter asks again
    }
  };
  offer(some);
  return {
    node: h('span', { class: 'joined' }, field, list),
    show: (mount) => {
      if (mount) known.set(name(mount), mount);
      if (document.activeElement !== field) field.value = mount ? name(mount) : '';
    },
  };
}

/** Two jobs may have a mount of the same name. */
function name(mount) {
  return `${mount.id} · ${mount.group}`;
}
