// The causal chain: one lane an onset, each as wide as its uncertainty. An arrow only where the order is certain.
import { h, s } from './dom.js';
import { family, signalName } from './signals.js';
import { clock, hourMinute, quantity, span, t } from './words.js';

const MOST = 8;

export function chain(diagnosis) {
  const onsets = diagnosis.onsets.slice(0, MOST).map((onset) => ({
    ...onset,
    from: Date.parse(onset.from),
    to: Date.parse(onset.to),
    label: signalName(onset.signal, onset.part),
    way: way(onset, diagnosis.lanes),
  }));
  if (onsets.length === 0) return null;
  const order = orders(diagnosis.order);
  const relations = onsets.map((onset, i) => relation(onsets, i, order, diagnosis.evidence.stepMillis));
  const figure = h('figure', { class: 'chain' });
  const caption = h(
    'figcaption',
    { class: 'unseen' },
    onsets.map((onset, i) => `${onset.label}, ${span(onset.from, onset.to)}: ${relations[i]}. `).join(''),
  );
  const moments = ticks(diagnosis, onsets);
  let width = 0;
  const rows = onsets.length + (moments.length ? 1 : 0);
  figure.style.minHeight = `${rows * rowHeight(innerWidth < 700) + 28}px`; // nothing moves when it is drawn
  new ResizeObserver(() => {
    if (figure.clientWidth === width || figure.clientWidth === 0) return;
    width = figure.clientWidth;
    figure.style.minHeight = '';
    figure.replaceChildren(draw(width, onsets, relations, order, moments), caption);
  }).observe(figure);
  figure.append(caption);
  return figure;
}

/** Whether it rose or fell. */
function way(onset, lanes) {
  const lane = lanes.find((each) => each.signal === onset.signal && each.part === onset.part && each.scope.id === onset.scope.id);
  if (!lane || lane.before === null || lane.during === null || lane.before === lane.during) return '';
  return lane.during > lane.before ? ' ↑' : ' ↓';
}

function orders(list) {
  const known = new Map(list.map((each) => [`${each.firstOnset} ${each.secondOnset}`, each.order]));
  return (i, j) => known.get(`${i} ${j}`) ?? 'unknown';
}

/** Everything is told against the first one: that is the claim a sceptic checks. */
function relation(onsets, i, order, step) {
  const first = onsets[0];
  if (onsets.length === 1) return '';
  if (i === 0) {
    const alone = onsets.every((_, j) => j === 0 || order(0, j) === 'before');
    return alone ? t('chain.first') : t('chain.amongFirst');
  }
  if (order(0, i) !== 'before') {
    return t(order(0, i) === 'together' ? 'chain.together' : 'chain.unknown', {
      name: first.label,
      step: Math.round(step / 1000),
    });
  }
  const least = Math.max(0, (onsets[i].from - first.to) / 1000);
  const most = (onsets[i].to - first.from) / 1000;
  return t('chain.after', { least: round(least), most: round(most), name: first.label });
}

function round(seconds) {
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds);
}

/** Events inside the step, at their own times. */
function ticks(diagnosis, onsets) {
  const from = Math.min(...onsets.map((onset) => onset.from)) - 60_000;
  const to = Math.max(...onsets.map((onset) => onset.to)) + 60_000;
  return diagnosis.evidence.moments
    .filter((moment) => moment.kind !== 'ping')
    .map((moment) => ({ ...moment, at: Date.parse(moment.at) }))
    .filter((moment) => moment.at >= from && moment.at <= to)
    .slice(0, 200);
}

function rowHeight(narrow) {
  return narrow ? 68 : 44;
}

function draw(width, onsets, relations, order, moments) {
  const narrow = width < 640;
  const rows = onsets.length + (moments.length ? 1 : 0);
  const row = rowHeight(narrow);
  const left = narrow ? 4 : 208;
  const right = narrow ? width - 20 : width - 264;
  const bar = 12;
  const middle = (i) => i * row + (narrow ? 52 : row / 2);
  const height = rows * row + 28;
  const earliest = Math.min(...onsets.map((o) => o.from), ...moments.map((m) => m.at));
  const latest = Math.max(...onsets.map((o) => o.to), ...moments.map((m) => m.at));
  const pad = Math.max(2000, (latest - earliest) * 0.06);
  const scale = (at) => left + ((at - earliest + pad) / (latest - earliest + 2 * pad)) * (right - left);
  const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': t('chain.label') });
  svg.append(arrowHead());
  axis(svg, scale, earliest - pad, latest + pad, rows * row, right - left, width);
  onsets.forEach((onset, i) => {
    const y = middle(i);
    svg.append(s('line', { class: 'chain-lane', x1: left, x2: right, y1: y, y2: y }));
  });
  const runs = brackets(onsets, order);
  const trunks = [];
  runs.forEach(([from, to]) => {
    const x = Math.max(...onsets.slice(from, to + 1).map((onset) => scale(onset.to))) + 8;
    const top = middle(from) - bar / 2;
    const bottom = middle(to) + bar / 2;
    svg.append(s('path', { class: 'chain-bracket', d: `M${x - 4},${top} H${x} V${bottom} H${x - 4}` }));
  });
  arrows(onsets, order).forEach(([i, j]) => {
    // The trunk touches, with a dot each, everything that certainly came before.
    const causes = onsets.map((_, k) => k).filter((k) => k <= i && (k === i || together(runs, k, i)) && order(k, j) === 'before');
    const start = Math.min(
      Math.max(...causes.map((k) => scale(onsets[k].from) + (scale(onsets[k].to) - scale(onsets[k].from)) * 0.35)),
      ...causes.map((k) => scale(onsets[k].to) - 3),
    );
    const d = `M${start},${middle(causes[0])} V${middle(j)} H${scale(onsets[j].from) - 2}`;
    trunks.push(s('path', { class: 'chain-arrow', d, 'marker-end': 'url(#head)' }));
    causes.forEach((k) => trunks.push(s('circle', { class: 'chain-dot', cx: start, cy: middle(k), r: 3 })));
  });
  onsets.forEach((onset, i) => {
    const y = middle(i);
    svg.append(
      s(
        'rect',
        {
          class: `chain-bar fill-${family(onset.signal)}`,
          x: scale(onset.from),
          y: y - bar / 2,
          width: Math.max(3, scale(onset.to) - scale(onset.from)),
          height: bar,
          rx: 2,
        },
        s('title', {}, `${onset.label}: ${span(onset.from, onset.to)}`),
      ),
    );
  });
  svg.append(...trunks);
  onsets.forEach((onset, i) => words(svg, narrow, i * row, width, onset, relations[i]));
  if (moments.length) events(svg, narrow, onsets.length * row, middle(onsets.length), scale, left, right, moments);
  return svg;
}

function words(svg, narrow, top, width, onset, said) {
  const times = `${clock(onset.from)}–${clock(onset.to)}`;
  if (narrow) {
    svg.append(
      s('text', { class: 'chain-name', x: 0, y: top + 16 }, shorten(onset.label, 30) + onset.way),
      s('text', { class: 'chain-small', x: width, y: top + 16, 'text-anchor': 'end' }, times),
      s('text', { class: 'chain-small', x: 0, y: top + 34 }, shorten(said, Math.floor(width / 7))),
    );
    return;
  }
  svg.append(
    s('text', { class: 'chain-name', x: 0, y: top + 19 }, shorten(onset.label, 26) + onset.way),
    s('text', { class: 'chain-small', x: 0, y: top + 36 }, times),
    s('text', { class: 'chain-said', x: width - 248, y: top + 27 }, shorten(said, 42)),
  );
}

function events(svg, narrow, top, y, scale, left, right, moments) {
  svg.append(
    s('text', { class: 'chain-name', x: 0, y: top + (narrow ? 16 : 19) }, t('chain.events')),
    narrow ? '' : s('text', { class: 'chain-small', x: 0, y: top + 36 }, t('chain.ownTime')),
    s('line', { class: 'chain-lane', x1: left, x2: right, y1: y, y2: y }),
  );
  const taken = [];
  // The longest are named first, for as long as there is room.
  for (const moment of [...moments].sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0))) {
    const x = scale(moment.at);
    const said = shorten(`${moment.name} ${quantity(moment.seconds, 'seconds')}`, 24);
    const half = Math.max(1, scale(moment.at + moment.precisionMillis) - x);
    svg.append(
      s('rect', { class: 'chain-blur', x: x - half, y: y - 2, width: 2 * half, height: 4 }),
      s('line', { class: 'chain-tick', x1: x, x2: x, y1: y - 8, y2: y + 8 }, s('title', {}, `${clock(moment.at)} ${said}`)),
    );
    const room = said.length * 7.5 + 8;
    const from = x + room <= right ? x : x - room;
    if (from >= left && taken.every(([a, b]) => from + room <= a || from >= b)) {
      taken.push([from, from + room]);
      svg.append(s('text', { class: 'chain-small', x: from < x ? x - 4 : x + 4, y: y - 10, 'text-anchor': from < x ? 'end' : 'start' }, said));
    }
  }
}

function axis(svg, scale, from, to, y, room, width) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200].map((each) => each * 1000);
  const step = steps.find((each) => ((to - from) / each) * 76 <= room) ?? 14_400_000;
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const x = scale(at);
    if (x < 30 || x > width - 30) continue; // its label would be cut off
    svg.append(
      s('line', { class: 'chain-grid', x1: x, x2: x, y1: 4, y2: y }),
      s('text', { class: 'chain-small', x, y: y + 18, 'text-anchor': 'middle' }, step % 60_000 ? clock(at) : hourMinute(at)),
    );
  }
}

function arrowHead() {
  return s(
    'defs',
    {},
    s(
      'marker',
      { id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
      s('path', { class: 'chain-head', d: 'M0,0.5 L8,4 L0,7.5 Z' }),
    ),
  );
}

/** Longest runs of neighbours whose order is not visible. */
export function brackets(onsets, order) {
  const runs = [];
  for (let i = 0; i + 1 < onsets.length; i++) {
    if (order(i, i + 1) === 'before') continue;
    const last = runs[runs.length - 1];
    if (last && last[1] === i && all(last[0], i, i + 1, order)) last[1] = i + 1;
    else runs.push([i, i + 1]);
  }
  return runs;
}

function together(runs, i, j) {
  return runs.some(([from, to]) => from <= i && i <= to && from <= j && j <= to);
}

function all(from, to, next, order) {
  for (let i = from; i <= to; i++) if (order(i, next) === 'before') return false;
  return true;
}

/** Certain orders, without those that follow from others. Of several causes that moved together the nearest points. */
export function arrows(onsets, order) {
  const drawn = [];
  for (let j = 1; j < onsets.length; j++) {
    for (let i = j - 1; i >= 0; i--) {
      if (order(i, j) !== 'before') continue;
      const follows = drawn.some(([, to]) => to === j) || between(i, j, order);
      if (!follows) drawn.push([i, j]);
    }
  }
  return drawn;
}

function between(i, j, order) {
  for (let k = i + 1; k < j; k++) if (order(i, k) === 'before' && order(k, j) === 'before') return true;
  return false;
}

function shorten(text, most) {
  // A Chinese character is about as wide as two others.
  let room = most;
  let kept = '';
  for (const character of text) {
    room -= character.codePointAt(0) > 0x2e7f ? 1.9 : 1;
    if (room < 0) return `${kept.slice(0, -1)}…`;
    kept += character;
  }
  return kept;
}
