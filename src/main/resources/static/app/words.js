// Words, numbers and times in the reader's language and zone.

export const lang = document.documentElement.lang.startsWith('zh') ? 'zh' : 'en';

const response = await fetch(`/i18n/${lang}.json`);
const words = await response.json();

/** The words for a key, with {name} replaced. A missing key shows itself. */
/** The page about a rule, or another page of the documentation, in the language of this one. */
export function guide(name) {
  const folder = name === 'symptoms' || name === 'advice' ? '' : 'rules/';
  return `/docs/${folder}${name}${lang === 'zh' ? '.zh' : ''}.md`;
}

export function t(key, values) {
  const text = words[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole) : text;
}

/** As {@link t}, in the singular for 1 where the language has one. */
export function tn(key, n) {
  return t(n === 1 ? `${key}.one` : key, { n: count(n) });
}

export function has(key) {
  return key in words;
}

const three = new Intl.NumberFormat(lang, { maximumSignificantDigits: 3 });

export function number(value) {
  return value === null || value === undefined ? '–' : three.format(value);
}

const whole = new Intl.NumberFormat(lang);

/** How many there are: never rounded, or 9,999 would be 10,000. */
export function count(n) {
  return whole.format(n);
}

const SPACE = '\u00a0';

/** A value with a unit that people read. */
export function quantity(value, unit, signal) {
  if (value === null || value === undefined) return '–';
  switch (unit) {
    case 'ratio':
      return signal === 'amp' ? `×${number(value)}` : `${number(value * 100)}${SPACE}%`;
    case 'bytes':
      return bytes(value);
    case 'bytes_per_second':
      return `${bytes(value)}/s`;
    case 'seconds':
      return seconds(value);
    case 'per_second':
      return `${number(value)}/s`;
    case 'seconds_per_gigabyte':
      return `${number(value)}${SPACE}s/GB`;
    default:
      return number(value);
  }
}

function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let scaled = value;
  let unit = 0;
  // 999.5 would be rounded up to 1,000 of the smaller unit
  while (Math.abs(scaled) >= 999.5 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${number(scaled)}${SPACE}${units[unit]}`;
}

function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return `0${SPACE}s`;
  if (size < 0.0009995) return `${number(value * 1e6)}${SPACE}µs`;
  if (size < 0.9995) return `${number(value * 1000)}${SPACE}ms`;
  if (size < 120) return `${number(value)}${SPACE}s`;
  return size < 7200 ? `${number(value / 60)}${SPACE}min` : `${number(value / 3600)}${SPACE}h`;
}

/** A length of time in words, from milliseconds. */
export function duration(millis) {
  const total = Math.max(0, Math.round(millis / 1000));
  if (total < 120) return t('time.seconds', { n: total });
  const minutes = Math.round(total / 60);
  if (minutes < 120) return t('time.minutes', { n: minutes });
  if (minutes < 48 * 60) return t('time.hours', { n: Math.floor(minutes / 60), m: minutes % 60 });
  return t('time.days', { n: Math.round(minutes / 1440) });
}

const locale = lang === 'zh' ? 'zh-CN' : 'en-GB';
const clockFormat = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const shortFormat = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const zoneFormat = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' });

export function millis(text) {
  return text ? Date.parse(text) : null;
}

/** 14:21:30 */
export function clock(at) {
  return clockFormat.format(at);
}

/** 14:21 */
export function hourMinute(at) {
  return shortFormat.format(at);
}

/** 14:21:30, with the day when it is not today. */
export function when(at) {
  const today = new Date().toDateString() === new Date(at).toDateString();
  return today ? clock(at) : `${dayFormat.format(at)} ${clock(at)}`;
}

/** From one time to another; what they share is said once. */
export function span(from, to) {
  return `${when(from)}–${clock(to)}`;
}

export const zone = zoneFormat.formatToParts(Date.now()).find((part) => part.type === 'timeZoneName')?.value ?? 'UTC';
