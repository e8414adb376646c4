// One incident: the sentence, the chain, the charts, what to do, what was ruled out, what it costs, what happened.
import { ask, tell } from './api.js';
import { chain } from './chain.js';
import { lanes, refresh } from './charts.js';
import { h, keep, kept, replace, say, sections } from './dom.js';
import { asTable } from './now.js';
import { copyable, lostTime, place, recordingMark, sureness } from './parts.js';
import { maskName } from './signals.js';
import { clock, duration, guide, hourMinute, millis, number, quantity, t, tn, when, zone } from './words.js';

const AT_MOST = 7;

export function incidentView([, encoded]) {
  const id = encoded;
  let diagnosis = null;
  let marks = [];
  const memory = new Map();
  const view = {
    async load(changed) {
      if (diagnosis && changed && !changed.includes(decodeURIComponent(id))) return;
      [diagnosis, marks] = await Promise.all([ask(`/diagnoses/${id}`), ask(`/diagnoses/${id}/marks`)]);
    },
    draw(main) {
      document.title = `${diagnosis.summary} · Onset`;
      const mark = async (body) => {
        marks = await tell(`/diagnoses/${id}/marks`, body);
        say(t(`mark.${body.kind}`));
        view.draw(main);
      };
      const d = diagnosis;
      const { evidence } = d;
      sections(
        main,
        [
          ['sentence', [d.summary, d.detail, d.whyNotSurer, d.confidence, d.severity, d.state, d.resolved, duration(age(d))], () => sentence(d)],
          ['chain', [d.onsets, d.order, d.lanes, d.repetition, d.subCauses, evidence.moments], () => section('incident.chain', chain(d), chainNote(d))],
          ['charts', [evidence, d.lanes], (old) => charts(old, d)],
          ['do', d.remedies, () => section('incident.do', ...remedies(d, mark), h('p', {}, h('a', { href: guide(d.rule) }, t('incident.guide', { rule: d.rule }))))],
          ['reasons', [d.ruledOut, d.unknown], () => looked(d)],
          ['cost', d.cost, () => section('incident.cost', ...cost(d))],
          ['trail', [d.trail, marks], () => section('incident.trail', trail(d, marks))],
          ['say', null, () => section('incident.say', form(mark))],
        ],
        memory,
      );
    },
  };
  return view;
}

function looked(diagnosis) {
  return h(
    'div',
    { class: 'two' },
    section('incident.ruledOut', reasons(diagnosis.ruledOut, 'incident.ruledOut.none')),
    section('incident.unknown', reasons(diagnosis.unknown, 'incident.unknown.none')),
  );
}

function age(diagnosis) {
  const to = millis(diagnosis.resolved) ?? millis(diagnosis.lastSeen);
  return to - millis(diagnosis.opened ?? diagnosis.firstSeen);
}

function section(key, ...content) {
  const kept = content.filter(Boolean);
  return kept.length ? h('section', { class: key.replace('.', '-') }, h('h2', {}, t(key)), kept) : null;
}

function sentence(diagnosis) {
  const from = millis(diagnosis.opened ?? diagnosis.firstSeen);
  const to = millis(diagnosis.resolved) ?? millis(diagnosis.lastSeen);
  const life =
    diagnosis.resolved === null
      ? `${t('since', { at: when(from) })} (${duration(to - from)})`
      : t('lasted', { from: when(from), to: clock(to), length: duration(to - from) });
  return h(
    'section',
    { class: `sentence severity-${diagnosis.severity}` },
    diagnosis.recording === null
      ? null
      : h('p', { class: 'recording-line' }, recordingMark(diagnosis), t('recording.explained', { name: diagnosis.recording })),
    h('h1', {}, diagnosis.summary),
    diagnosis.detail ? h('p', {}, diagnosis.detail) : null,
    h(
      'p',
      { class: 'meta' },
      place(diagnosis.scope),
      ' · ',
      `${life} ${zone}`,
      ' · ',
      t(`state.${diagnosis.state}`),
      ' · ',
      `${diagnosis.severity}, ${t(`severity.${diagnosis.severity}`)}`,
    ),
    h('p', {}, h('strong', {}, sureness(diagnosis)), diagnosis.whyNotSurer ? `${t('whyNotSurer')}${diagnosis.whyNotSurer.replace(/[.。]$/, '')}` : '', t('stop')),
  );
}

function chainNote(diagnosis) {
  const repetition = diagnosis.repetition;
  const lines = [];
  if (repetition) {
    lines.push(
      t('chain.repetition', {
        followed: number(repetition.followed),
        effects: number(repetition.effects),
        causes: number(repetition.causes),
      }),
    );
    if (repetition.together) lines.push(t('chain.sameStep', { n: number(repetition.together) }));
    if (repetition.counterExamples) lines.push(t('chain.counter', { n: number(repetition.counterExamples) }));
    if (repetition.medianLeadSeconds !== null) lines.push(t('chain.lead', { n: number(repetition.medianLeadSeconds) }));
    if (repetition.chance !== null && repetition.chance < 1) lines.push(t('chain.chance', { p: chance(repetition.chance) }));
    if (repetition.equalPeriods) lines.push(t('chain.equalPeriods'));
  }
  if (diagnosis.subCauses.length) lines.push(t('chain.subCauses', { rules: diagnosis.subCauses.join(', ') }));
  return lines.length ? h('p', { class: 'quiet' }, lines.join(t('join'))) : null;
}

function chance(p) {
  return p < 0.0001 ? `<\u00a0${quantity(0.0001, 'ratio')}` : quantity(p, 'ratio');
}

const standing = new WeakMap();

/** Newer steps go into the charts that stand; how many are shown and an open table stay as they are. */
function charts(old, diagnosis) {
  const series = diagnosis.evidence;
  if (series.start === null || series.tracks.length === 0) {
    return section('incident.charts', h('p', { class: 'quiet' }, t('incident.noSeries')));
  }
  const rows = laneRows(diagnosis);
  const before = old && standing.get(old);
  if (before && refresh(before.holder.firstChild, series, before.all ? rows : rows.slice(0, AT_MOST))) {
    Object.assign(before, { series, rows });
    before.key.textContent = key(series);
    return old;
  }
  const shows = { series, rows, all: before?.all ?? false, holder: h('div', {}), key: h('p', { class: 'quiet' }, key(series)) };
  const draw = () =>
    replace(
      shows.holder,
      lanes(shows.series, shows.all ? shows.rows : shows.rows.slice(0, AT_MOST), { height: 76, values: true, label: t('incident.keys') }),
    );
  draw();
  const [buttons, numbers] = asTable(() => [shows.series, shows.rows]);
  if (rows.length > AT_MOST) buttons.append(' ', toggle(shows, draw));
  const made = section('incident.charts', shows.holder, shows.key, buttons, numbers);
  standing.set(made, shows);
  return made;
}

function toggle(shows, draw) {
  const button = h('button', { type: 'button', class: 'link no-print' });
  const label = () => {
    button.setAttribute('aria-expanded', String(shows.all));
    button.textContent = shows.all ? t('incident.fewer') : tn('incident.more', shows.rows.length - AT_MOST);
  };
  button.addEventListener('click', () => {
    shows.all = !shows.all;
    label();
    draw();
  });
  label();
  return button;
}

function laneRows(diagnosis) {
  const same = (a, b) => a.signal === b.signal && a.part === b.part && a.scope.id === b.scope.id;
  return diagnosis.evidence.tracks.map((track) => {
    const lane = diagnosis.lanes.find((each) => same(each, track));
    const onset = diagnosis.onsets.find((each) => same(each, track));
    return {
      track,
      before: lane?.before ?? null,
      during: lane?.during ?? null,
      after: lane?.after ?? null,
      onset: onset ? [Date.parse(onset.from), Date.parse(onset.to)] : null,
      note: track.scope.id === diagnosis.scope.id ? null : place(track.scope),
    };
  });
}

/** Names what is shaded, also where a band is too narrow for its name. */
function key(series) {
  const start = Date.parse(series.start);
  const at = (run) => {
    const from = start + run.first * series.stepMillis;
    return `${clock(from)}–${clock(start + (run.last + 1) * series.stepMillis)}`;
  };
  const gaps = new Map();
  series.tracks.forEach((track) => track.gaps.forEach((gap) => gaps.set(`${gap.text} ${gap.first}`, `${gap.text} ${at(gap)}`)));
  const parts = [t('lane.key')];
  if (series.masks.length) parts.push(`${t('lane.phases')}${series.masks.slice(0, 6).map((mask) => `${maskName(mask.name)} ${at(mask)}`).join(t('comma'))}${t('stop')}`);
  if (gaps.size) parts.push(`${t('lane.missing')}${[...gaps.values()].slice(0, 6).join(t('comma'))}${t('stop')}`);
  return parts.join(t('join'));
}

function remedies(diagnosis, mark) {
  const advice = diagnosis.remedies.filter((each) => each.kind === 'do');
  const warnings = diagnosis.remedies.filter((each) => each.kind === 'do_not');
  if (advice.length + warnings.length === 0) return [h('p', { class: 'quiet' }, t('incident.noRemedy'))];
  return [
    h(
      'ol',
      { class: 'remedies' },
      advice.map((each) =>
        h(
          'li',
          {},
          h('p', {}, h('strong', {}, each.title)),
          each.command ? copyable(each.command) : null,
          h('dl', {}, ['effect', 'risk', 'check'].map((part) => (each[part] ? [h('dt', {}, t(`remedy.${part}`)), h('dd', {}, each[part])] : null))),
          h(
            'button',
            { type: 'button', class: 'link no-print', click: () => mark({ kind: 'fixApplied', author: name(), note: each.title.slice(0, 2000) }) },
            t('mark.do.fixApplied'),
          ),
        ),
      ),
    ),
    warnings.length ? h('ul', { class: 'warnings' }, warnings.map((each) => h('li', {}, each.title))) : null,
  ];
}

function reasons(list, none) {
  if (list.length === 0) return h('p', { class: 'quiet' }, t(none));
  return h('dl', { class: 'reasons' }, list.map((each) => [h('dt', {}, each.what), h('dd', {}, each.why)]));
}

function cost({ cost: lost }) {
  if (!lost.acceleratorSeconds) return [h('p', { class: 'quiet' }, t('cost.none'))];
  const unit = lost.acceleratorSeconds < 120 ? 1 : 60;
  return [
    h(
      'p',
      {},
      t('cost.lost', { lost: lostTime(lost.acceleratorSeconds), low: number(lost.low / unit), high: number(lost.high / unit), devices: tn('cost.devices', lost.devices) }),
    ),
    h('p', { class: 'quiet' }, t('cost.how')),
  ];
}

function trail(diagnosis, marks) {
  const entries = [
    ...diagnosis.trail.map((entry) => ({ at: millis(entry.at), what: entry.what })),
    ...marks.map((mark) => ({ at: millis(mark.at), what: marked(mark) })),
  ].sort((a, b) => a.at - b.at);
  return h('ol', { class: 'trail' }, entries.map((entry) => h('li', {}, h('time', { datetime: new Date(entry.at).toISOString() }, when(entry.at)), h('span', {}, entry.what))));
}

function marked(mark) {
  const until = mark.until === null ? '' : ` ${t('mark.until', { at: hourMinute(millis(mark.until)) })}`;
  const note = mark.note ? `${t('colon')}${mark.note}` : '';
  return `${t(`mark.${mark.kind}`)}${until}${t('mark.by', { author: mark.author })}${note}`;
}

function name() {
  return kept('onset.name') ?? '';
}

const HOURS = [1, 4, 24];

function form(mark) {
  const author = h('input', { type: 'text', name: 'author', maxlength: 100, autocomplete: 'name', value: name() });
  const note = h('input', { type: 'text', name: 'note', maxlength: 2000, class: 'grow' });
  const until = h('select', { 'aria-label': t('mark.silenceFor') }, HOURS.map((hours) => h('option', { value: hours }, tn('mark.hours', hours))));
  const failed = h('p', { class: 'caution-text', role: 'alert' });
  const send = (kind, extra) => async () => {
    keep('onset.name', author.value);
    failed.textContent = '';
    try {
      await mark({ kind, author: author.value, note: note.value, ...extra?.() });
      note.value = '';
    } catch (error) {
      failed.textContent = `${t('mark.failed')} ${error.message}`;
    }
  };
  const button = (kind, extra) => h('button', { type: 'button', click: send(kind, extra) }, t(`mark.do.${kind}`));
  const end = () => ({ until: new Date(Date.now() + Number(until.value) * 3_600_000).toISOString() });
  return h(
    'form',
    { class: 'say no-print', submit: (event) => event.preventDefault() },
    h('p', {}, h('label', {}, t('mark.name'), author), h('label', { class: 'grow' }, t('mark.words'), note)),
    h('p', {}, button('acknowledged'), button('note'), button('right'), button('wrongCause'), button('noise'), h('span', { class: 'joined' }, button('silenced', end), until)),
    failed,
  );
}
