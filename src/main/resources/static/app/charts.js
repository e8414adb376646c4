// The lanes: one chart a signal, all on one time axis with one cursor. Gaps, masks and onsets are shaded and named.
import { h, s, say } from './dom.js';
import { colour, dash, faint, family, maskName, signalName } from './signals.js';
import { clock, hourMinute, quantity, t, when } from './words.js';

const WHICH = ['before', 'during', 'after'];
const AXIS = 24;
const drawn = new Set();
const boxes = new WeakMap();
let groups = 0;

/**
 * @param {object} series as the API gives it: start, stepMillis, tracks, masks
 * @param {object[]} lanes {track, before, during, after, onset: [from, to] | null, note}
 * @param {object} options {height, values: whether before, during and after stand beside, label, since: start of an open incident}
 */
export function lanes(series, lanes, options) {
  const key = `lanes-${groups++}`;
  const readTime = h('span', { class: 'reading-time' });
  const box = h('div', { class: `lanes${options.values ? ' with-values' : ''}`, role: 'group', tabindex: '0', 'aria-label': options.label });
  const charts = [];
  const times = stepTimes(series);
  if (options.values) box.append(heads(readTime));
  lanes.forEach((lane, i) => {
    const reading = h('span', { class: 'reading' });
    const canvas = h('div', { class: 'plot', role: 'img', 'aria-label': spoken(lane) });
    canvas.style.minHeight = `${options.height + (i === lanes.length - 1 ? AXIS : 0)}px`;
    const numbers = options.values ? WHICH.map(() => h('span', {})) : [];
    const row = h(
      'div',
      { class: 'lane' },
      h(
        'div',
        { class: 'lane-name' },
        swatch(lane.track.signal),
        h('span', {}, signalName(lane.track.signal, lane.track.part)),
        lane.note ? h('small', {}, lane.note) : null,
        reading,
      ),
      values(lane, numbers),
      canvas,
    );
    box.append(row);
    charts.push({ lane, canvas, reading, numbers, last: i === lanes.length - 1, plot: null });
  });
  if (!options.values) box.prepend(h('p', { class: 'reading-line' }, readTime));
  box.addEventListener('keydown', (event) => walk(event, charts, state.times));
  const state = { key, charts, times, series, options, readTime };
  requestAnimationFrame(() => start(state, box));
  boxes.set(box, state);
  return box;
}

/** Shows newer steps in charts that stand already; false when other signals are to be shown. */
export function refresh(box, series, lanes, since = null) {
  const state = box && boxes.get(box);
  const same = (a, b) => a.signal === b.signal && a.part === b.part && a.scope.id === b.scope.id;
  if (!state || state.charts.length !== lanes.length) return false;
  if (!state.charts.every((chart, i) => same(chart.lane.track, lanes[i].track))) return false;
  state.series = series;
  state.options.since = since;
  state.times = stepTimes(series);
  state.charts.forEach((chart, i) => {
    chart.lane = lanes[i];
    chart.canvas.setAttribute('aria-label', spoken(chart.lane));
    chart.numbers.forEach((cell, k) => {
      const { signal, unit } = chart.lane.track;
      cell.textContent = quantity(chart.lane[WHICH[k]], unit, signal);
    });
    chart.plot?.setData([state.times, filled(chart.lane, state.times)]);
  });
  return true;
}

function filled(lane, times) {
  const all = [...lane.track.values];
  while (all.length < times.length) all.push(all.length ? all[all.length - 1] : null);
  return all;
}

function stepTimes(series) {
  const start = Date.parse(series.start) / 1000;
  const step = series.stepMillis / 1000;
  const steps = Math.max(0, ...series.tracks.map((track) => track.values.length));
  // One more than there are steps: a value holds until the end of its step.
  return Array.from({ length: steps + 1 }, (_, i) => start + i * step);
}

function heads(readTime) {
  return h(
    'div',
    { class: 'lane heads', 'aria-hidden': 'true' },
    h('div', { class: 'lane-name' }),
    h('div', { class: 'lane-value' }, t('lane.before')),
    h('div', { class: 'lane-value' }, t('lane.during')),
    h('div', { class: 'lane-value' }, t('lane.after')),
    h('div', { class: 'plot-head' }, readTime),
  );
}

function values(lane, cells) {
  const { signal, unit } = lane.track;
  return cells.map((cell, k) => {
    cell.textContent = quantity(lane[WHICH[k]], unit, signal);
    return h('div', { class: `lane-value lane-${WHICH[k]}` }, h('span', { class: 'narrow-only quiet' }, t(`lane.${WHICH[k]}`)), cell);
  });
}

/** A sample of the line as it is drawn. */
function swatch(signal) {
  return s(
    'svg',
    { class: `swatch swatch-${family(signal)}`, width: 18, height: 10, 'aria-hidden': 'true' },
    s('line', { x1: 0, x2: 18, y1: 5, y2: 5, 'stroke-dasharray': dash(signal).join(' ') }),
  );
}

/** What a chart shows, for those who do not see it. */
function spoken(lane) {
  const { signal, unit, part, values: all, gaps } = lane.track;
  const known = all.filter((value) => value !== null);
  const summary =
    known.length === 0
      ? t('lane.nothing')
      : t('lane.spoken', {
          min: quantity(Math.min(...known), unit, signal),
          max: quantity(Math.max(...known), unit, signal),
          last: quantity(known[known.length - 1], unit, signal),
        });
  const missing = gaps.length ? ` ${t('lane.gaps', { n: gaps.length })}` : '';
  return `${signalName(signal, part)}: ${summary}${missing}`;
}

function start(state, box) {
  const observer = new ResizeObserver(() => {
    for (const chart of state.charts) {
      const width = chart.canvas.clientWidth;
      if (width === 0) continue;
      if (!chart.plot) {
        chart.plot = plot(state, chart, width);
        drawn.add(chart.plot);
      } else if (chart.plot.width !== width) {
        chart.plot.setSize({ width, height: chart.plot.height });
      }
    }
  });
  state.charts.forEach((chart) => observer.observe(chart.canvas));
  // Pages replace their charts when new steps arrive; those that are gone must not keep listening.
  const gone = new MutationObserver(() => {
    if (box.isConnected) return;
    gone.disconnect();
    observer.disconnect();
    for (const chart of state.charts) {
      if (chart.plot) drawn.delete(chart.plot);
      chart.plot?.destroy();
    }
  });
  gone.observe(document.getElementById('main'), { childList: true, subtree: true });
}

function plot(state, chart, width) {
  const { signal, unit } = chart.lane.track;
  const own = () => colour(family(signal));
  const axisHeight = chart.last ? AXIS : 0;
  const options = {
    width,
    height: state.options.height + axisHeight,
    padding: [6, 1, chart.last ? 0 : 4, 0],
    legend: { show: false },
    cursor: {
      sync: { key: state.key, setSeries: false },
      drag: { x: false, y: false },
      y: false,
      points: { show: false },
      dataIdx: (u, seriesIndex, closest, x) => (x < u.data[0][closest] ? Math.max(0, closest - 1) : closest),
    },
    scales: { x: { time: true, range: (u, min, max) => [min, max] }, y: { range: (u, min, max) => range(chart.lane, max) } },
    axes: [xAxis(chart.last, axisHeight), yAxis(unit, signal)],
    series: [
      {},
      {
        stroke: own,
        width: 1.5,
        dash: dash(signal),
        fill: () => faint(own(), 0.1),
        paths: uPlot.paths.stepped({ align: 1 }),
        points: { show: false },
        spanGaps: false,
      },
    ],
    hooks: {
      drawClear: [(u) => shade(u, state, chart.lane, own())],
      draw: [(u) => baseline(u, chart.lane)],
      setCursor: [(u) => read(u, state, chart)],
    },
  };
  return new uPlot(options, [state.times, filled(chart.lane, state.times)], chart.canvas);
}

function range(lane, max) {
  if (lane.track.unit === 'ratio' && lane.track.signal !== 'amp') return [0, 1.05];
  const top = Math.max(max ?? 0, lane.before ?? 0);
  return [0, top > 0 ? top * 1.12 : 1];
}

function xAxis(shown, size) {
  return {
    show: shown,
    size,
    gap: 4,
    font: font(),
    stroke: () => colour('quiet'),
    space: 72,
    grid: { stroke: () => colour('line'), width: 1 },
    ticks: { show: false },
    values: (u, splits) => splits.map((at) => inside(u, at) && (at % 60 === 0 ? hourMinute(at * 1000) : clock(at * 1000))),
  };
}

/** A label that would be cut off at the right is left out. */
function inside(u, at) {
  return u.valToPos(at, 'x') < u.bbox.width / devicePixelRatio - 20 || null;
}

function yAxis(unit, signal) {
  return {
    size: 68,
    gap: 6,
    font: font(),
    stroke: () => colour('quiet'),
    grid: { stroke: () => colour('line'), width: 1 },
    ticks: { show: false },
    splits: (u, axis, min, max) => (u.series[1].max > 0 ? [0, nice(max, unit)] : [0]),
    values: (u, splits) => splits.map((value) => (value === 0 ? '0' : quantity(value, unit, signal))),
  };
}

/** A round number between half of the top and the top. */
function nice(max, unit) {
  if (max > 1 && max <= 1.06) return 1;
  const bytes = unit === 'bytes' || unit === 'bytes_per_second';
  const base = bytes ? 1024 ** Math.max(0, Math.floor(Math.log(max) / Math.log(1024))) : 1;
  const size = 10 ** Math.floor(Math.log10((max * 0.95) / base));
  const times = [8, 6, 5, 4, 3, 2.5, 2, 1.5, 1].find((factor) => factor * size * base <= max * 0.95) ?? 1;
  return times * size * base;
}

function font() {
  return '12px system-ui, sans-serif';
}

function shade(u, state, lane, own) {
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  for (const mask of state.series.masks) {
    band(u, state.times, mask.first, mask.last, faint(colour('quiet'), 0.14));
  }
  lane.track.gaps.forEach((gap) => hatch(u, state.times, gap.first, gap.last));
  const taken = [];
  lane.track.gaps.forEach((gap) => name(u, state.times, gap.first, gap.last, gap.text, taken));
  state.series.masks.forEach((mask) => name(u, state.times, mask.first, mask.last, maskName(mask.name), taken));
  if (state.options.since) {
    const x = Math.round(u.valToPos(state.options.since / 1000, 'x', true));
    ctx.fillStyle = faint(colour('harm'), 0.07);
    ctx.fillRect(x, u.bbox.top, u.bbox.left + u.bbox.width - x, u.bbox.height);
    ctx.fillStyle = faint(colour('harm'), 0.7);
    ctx.fillRect(x, u.bbox.top, devicePixelRatio, u.bbox.height);
  }
  if (lane.onset) {
    const [left, right] = lane.onset.map((at) => u.valToPos(at / 1000, 'x', true));
    ctx.fillStyle = faint(own, 0.28);
    ctx.fillRect(left, u.bbox.top, Math.max(right - left, 2), u.bbox.height);
  }
  ctx.restore();
}

function edges(u, times, first, last) {
  const left = u.valToPos(times[first] ?? times[0], 'x', true);
  const right = u.valToPos(times[last + 1] ?? times[times.length - 1], 'x', true);
  return [left, right];
}

function band(u, times, first, last, style) {
  const [left, right] = edges(u, times, first, last);
  u.ctx.fillStyle = style;
  u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
}

/** Hatched, so that a gap is told from a phase without its colour. */
function hatch(u, times, first, last) {
  const [left, right] = edges(u, times, first, last);
  const { ctx } = u;
  const { top, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, height);
  ctx.clip();
  ctx.strokeStyle = faint(colour('quiet'), 0.45);
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  for (let x = left - height; x < right; x += 6 * devicePixelRatio) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

/** Where something is named already nothing is written over it: why a value is missing says more than the phase. */
function name(u, times, first, last, text, taken) {
  const [left, right] = edges(u, times, first, last);
  const { ctx } = u;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  const width = ctx.measureText(text).width + 6 * devicePixelRatio;
  if (width > right - left) return; // the list below the charts names it
  if (taken.some(([from, to]) => left < to && from < left + width)) return;
  taken.push([left, left + width]);
  ctx.fillStyle = colour('quiet');
  ctx.textBaseline = 'top';
  ctx.fillText(text, left + 3 * devicePixelRatio, u.bbox.top + 2 * devicePixelRatio);
}

function baseline(u, lane) {
  if (lane.before === null || lane.before === undefined) return;
  const { ctx } = u;
  const y = Math.round(u.valToPos(lane.before, 'y', true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = faint(colour('ink'), 0.55);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(u.bbox.left, y);
  ctx.lineTo(u.bbox.left + u.bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function read(u, state, chart) {
  const index = u.cursor.idx;
  const { signal, unit, values: all, gaps } = chart.lane.track;
  if (index === null || index === undefined || index >= all.length) {
    chart.reading.textContent = '';
    if (chart === state.charts[0]) state.readTime.textContent = '';
    return;
  }
  const gap = gaps.find((each) => each.first <= index && index <= each.last);
  chart.reading.textContent = gap ? gap.text : quantity(all[index], unit, signal);
  if (chart === state.charts[0]) state.readTime.textContent = when(state.times[index] * 1000);
}

const MOVES = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity };

function walk(event, charts, times) {
  const move = MOVES[event.key];
  const first = charts[0]?.plot;
  if (move === undefined || !first) return;
  event.preventDefault();
  const last = times.length - 2;
  const from = first.cursor.idx ?? (move > 0 ? -1 : last + 1);
  const index = Math.min(last, Math.max(0, from + move));
  const middle = (times[index] + times[index + 1]) / 2;
  first.setCursor({ left: first.valToPos(middle, 'x'), top: 1 }, true, true);
  const read = charts.map((chart) => {
    const gap = chart.lane.track.gaps.find((each) => each.first <= index && index <= each.last);
    const { signal, part, unit, values: all } = chart.lane.track;
    return `${signalName(signal, part)} ${gap ? gap.text : quantity(all[index], unit, signal)}`;
  });
  say(`${when(times[index] * 1000)}: ${read.join(', ')}`);
}

/** The same numbers as a table: for those who cannot see charts, and for copying. */
export function table(series, lanes) {
  const start = Date.parse(series.start);
  const steps = Math.max(0, ...series.tracks.map((track) => track.values.length));
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, t('table.time')),
    lanes.map((lane) => h('th', { scope: 'col' }, signalName(lane.track.signal, lane.track.part))),
  );
  const rows = Array.from({ length: steps }, (_, i) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, when(start + i * series.stepMillis)),
      lanes.map((lane) => {
        const gap = lane.track.gaps.find((each) => each.first <= i && i <= each.last);
        const { values: all, unit, signal } = lane.track;
        return h('td', gap ? { class: 'quiet' } : {}, gap ? gap.text : quantity(all[i], unit, signal));
      }),
    ),
  );
  return h(
    'div',
    { class: 'wide-table', tabindex: '0', role: 'region', 'aria-label': t('table.label') },
    h('table', { class: 'numbers' }, h('caption', { class: 'unseen' }, t('table.label')), h('thead', {}, head), h('tbody', {}, rows)),
  );
}

/** Colours come from the style sheet at the time of drawing. */
export function redraw() {
  drawn.forEach((each) => each.redraw(false));
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('printing');
  redraw();
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing');
  redraw();
});
