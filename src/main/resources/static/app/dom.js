// Builds elements. Strings always become text nodes: names come from exporters and are not to be trusted.

export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  return fill(element, attributes, children);
}

const SVG = 'http://www.w3.org/2000/svg';

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(3).filter(Boolean));
}

/**
 * Puts sections into an element and touches only those that changed: focus, selection and open tables of the others stay.
 *
 * @param {[string, any, (old: Element | null) => Element | null][]} sections key, what it shows, how it is built
 * @param {Map} memory of the previous call
 */
export function sections(element, sections, memory) {
  const nodes = sections.map(([key, shows, build]) => {
    const state = JSON.stringify(shows);
    const old = memory.get(key);
    if (old?.state === state) return old.node;
    const node = build(old?.node ?? null);
    memory.set(key, { state, node });
    return node;
  });
  const wanted = new Set(nodes.filter(Boolean));
  [...element.childNodes].filter((node) => !wanted.has(node)).forEach((node) => node.remove());
  // Nodes that stay are in the same order as before, so none of them is ever moved.
  [...wanted].forEach((node, i) => {
    if (element.childNodes[i] !== node) element.insertBefore(node, element.childNodes[i] ?? null);
  });
}

/** Tells people who cannot see the change. */
export function say(text) {
  document.getElementById('said').textContent = text;
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // storage may be forbidden; then the choice lasts as long as the page
  }
}

export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Browsers offer no clipboard to pages served by plain HTTP from another machine.
  const area = h('textarea', { class: 'unseen' });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
