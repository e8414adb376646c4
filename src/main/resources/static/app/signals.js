// What a signal is called, and which of the seven colours it has. The same signal looks the same on every chart.
import { has, t } from './words.js';

const FAMILIES = [
  ['accelerator', /^(util|accelerator|thr$|data_wait|epoch|phase_)/],
  ['staging', /^(stage_w|staging_)/],
  ['cache', /^(miss_|hit_|evict|drops|cached_|fill_w|cache_)/],
  ['store', /^(get_|put_|inflight_get|inflight_put|object_errors|slots_put|delete_ops|amp$)/],
  ['redis', /^(rtt_|expire|keys$|evicted_keys|redis_|used_memory|maxmemory|connected_|aof_|rdb_|latest_fork|meta_|txn_|inflight_meta|inflight_txn)/],
  ['host', /^(dev_|cpu_(seconds|idle|steal|busy)|mem_|net_|fs_|node_time|clock_offset)/],
];

// Dashes differ by family as well, for readers who cannot tell the colours apart.
const DASHES = {
  accelerator: [],
  cache: [12, 2],
  store: [6, 2],
  client: [10, 2, 2, 2],
  staging: [3.5, 2],
  redis: [2, 1.5],
  host: [12, 2, 2, 2, 2, 2],
};

export function family(signal) {
  return FAMILIES.find(([, pattern]) => pattern.test(signal))?.[0] ?? 'client';
}

export function dash(signal) {
  return DASHES[family(signal)];
}

export function signalName(signal, part) {
  const key = `signal.${signal}`;
  const name = has(key) ? t(key) : signal;
  return part ? `${name} · ${part}` : name;
}

/** Masks have names of their own; one that is not known shows itself. */
export function maskName(mask) {
  const key = `mask.${mask}`;
  return has(key) ? t(key) : mask;
}

const probes = new Map();

/** The computed colour of a CSS variable: a canvas knows nothing of the page's style. */
export function colour(name) {
  let probe = probes.get(name);
  if (!probe) {
    probe = document.createElement('span');
    probe.className = `probe probe-${name}`;
    probe.hidden = true;
    document.body.append(probe);
    probes.set(name, probe);
  }
  return getComputedStyle(probe).color;
}

/** The same colour, mostly transparent. */
export function faint(color, alpha) {
  const [red, green, blue] = color.match(/[\d.]+/g);
  return `rgba(${red},${green},${blue},${alpha})`;
}
