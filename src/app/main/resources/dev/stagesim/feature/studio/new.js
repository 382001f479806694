'use strict';
(function () {
  var s = window.studio, h = s.h, add = s.add, say = s.say, query = s.query, post = s.tell, fail = s.fail, main = s.main;

  /* ---- questions ---- */
  function catalog() { return s.answer(fetch('/questions.json')); }

  function start(of, parts) {
    s.ask('state').then(function (state) {
      if (parts[0]) {
        s.ask('form', { stage: parts[0] }).then(function (a) { form(a, state, of.getAll('word'), null); }, fail);
        return;
      }
      catalog().then(function (all) {
        add(main, [h('h1', {}, 'New run'), h('ul', { class: 'cards questions' }, all.questions.map(function (q) {
          return h('li', { class: 'card' }, h('a', { href: '#/ask/' + q.id }, q.title), h('p', {}, q.about));
        })), h('details', {}, h('summary', {}, 'A stage with all its keys'), h('ul', {}, state.stages.map(function (stage) {
          return h('li', {}, h('a', { href: '#/new/' + stage }, s.titles[stage] || stage), ' ', h('code', {}, stage));
        })))]);
      }, fail);
    }, fail);
  }

  function question(of, parts) {
    Promise.all([s.ask('state'), catalog()]).then(function (r) {
      var q = r[1].questions.filter(function (each) { return each.id === parts[0]; })[0];
      if (!q) { s.go('new'); return; }
      s.ask('form', { stage: q.stage }).then(function (a) {
        var given = of.getAll('word');
        q.loads = r[1].loads.filter(function (load) { return Object.keys(load.values).every(function (key) { return q.fields.some(function (f) { return f.key === key; }); }); });
        form(a, r[0], given.length ? given : defaults(q), q);
      }, fail);
    }, fail);
  }
  function defaults(q) { return q.fields.filter(function (f) { return f.value; }).map(function (f) { return word(f.key, f.value, f); }); }
  /* Overrides that a short key adds, and the beginning of the key that it sets. */
  var IMPLIED = { 'workload.lengths.kind=fixed': 'workload.lengths.', 'arrival=closed_loop': 'arrival.concurrency=' };
  /* Text with commas is quoted, and values of a list are in brackets: otherwise they are a sweep. */
  function word(key, value, f) {
    var kind = f && f.kind;
    return key + '=' + (kind === 'text' ? '"' + value + '"' : kind === 'list' && value.charAt(0) !== '[' ? '[' + value + ']' : value);
  }
  function bare(value, f) {
    return f.kind === 'text' ? value.replace(/^"(.*)"$/, '$1') : f.kind === 'list' ? value.replace(/^\[(.*)\]$/, '$1') : value;
  }

  /* ---- a form: the fields of a question, or all keys of a stage ---- */
  function form(a, state, given, q) {
    var fields = q ? q.fields.map(described) : a.groups.map(function (g) { return { key: g.name, label: g.name, doc: g.doc, def: '', unit: '', range: '', options: g.options, group: true, when: [] }; })
      .concat(a.fields.map(function (f) { return { key: f.path, label: f.path, doc: f.doc, def: f.def, unit: f.unit, range: f.range, options: Object.keys(f.options), when: f.when }; }));
    var values = {}, asking = 0, fromFields = true, last = q && q.command === 'fits' ? 'fits' : 'check';
    var result = h('div', {}), problem = h('div', {}), verdict = h('p', { class: 'readout', role: 'status' }), cost = h('span', { class: 'faint' }), box = h('div', {}), keysBox = h('div', {}), allKeys = h('a', {});
    var sweep = h('input', { type: 'checkbox', change: function () { draw(); changed(); } }), filter = h('input', { type: 'search', 'aria-label': 'Filter keys', placeholder: 'part of a key or of its description', input: draw });
    var others = h('input', { type: 'text', size: 40, input: changed, placeholder: 'key=value key=value' });
    var startButton = h('button', { type: 'button', class: 'main', disabled: true, click: begin }, 'Start');
    var trial = a.answers && last === 'check' ? whatIf(a, words, moved, q ? 'Answer without a run' : 'What if') : null;

    function info(path) { return a.fields.filter(function (f) { return f.path === path; })[0]; }
    function paths(key) { return (a.short_keys[key] || key).split(' '); }
    function described(f) {
      var own = paths(f.key), key = info(own[own.length - 1]) || {}, group = a.groups.filter(function (g) { return g.name === f.key; })[0] || {};
      var doc = f.hint || key.doc || group.doc || '';
      return { key: f.key, label: f.label, doc: doc.toLowerCase() === f.label.toLowerCase() + '.' ? '' : doc, def: (key.when || []).length ? '' : (key.def || '').replace(/^"(.*)"$/, '$1'), unit: '', range: '', options: f.options || group.options || Object.keys(key.options || {}), kind: f.kind, more: f.more, when: [] };
    }
    /* The field of a key. A short key of several keys is used only if all of them are given. */
    function find(key, all) {
      return fields.filter(function (f) {
        var own = paths(f.key).filter(function (path) { return !/\.kind$/.test(path); });
        return f.key === key || (q && own.indexOf(key) >= 0 && (!all || own.every(function (path) { return all.indexOf(path) >= 0; })));
      })[0];
    }
    function keyOf(w) { return w.slice(0, w.indexOf('=')); }
    given.forEach(function (w) {
      var at = w.indexOf('='), f = find(keyOf(w), given.map(keyOf));
      if (f) { values[f.key] = bare(w.slice(at + 1), f); } else if (!q || !IMPLIED[w] || !given.some(function (g) { return g !== w && g.indexOf(IMPLIED[w]) === 0; })) { others.value = (others.value + ' ' + w).trim(); }
    });
    sweep.checked = /[?&]sweep=1/.test(location.hash);

    function words() {
      return Object.keys(values).filter(function (k) { return values[k] !== ''; }).map(function (k) { return word(k, values[k], find(k)); }).concat(others.value.split(/\s+/).filter(Boolean));
    }
    function isSweep() {
      return q ? last === 'check' && fields.some(function (f) { return !f.kind && /,|range\(/.test(values[f.key] || ''); }) : sweep.checked;
    }
    function moved(path, value) {
      var f = find(path);
      values[f ? f.key : path] = value; draw(); startButton.disabled = true; s.later(350, check);
    }
    function changed() { fromFields = true; startButton.disabled = true; s.later(350, check); }
    function check() {
      var mine = ++asking, asked = words(), several = isSweep();
      s.go(q ? 'ask/' + q.id : 'new/' + a.stage, { word: asked, sweep: !q && several ? 1 : '' }, true);
      allKeys.href = '#/new/' + a.stage + '?' + query({ word: asked, sweep: several ? 1 : '' });
      post(last, { stage: a.stage, words: asked, sweep: several }).then(function (c) {
        if (mine !== asking) { return; }
        if (trial) { trial.box.hidden = several; }
        if (trial && !several) { if (c.valid) { trial.ask(fromFields); } else { trial.stale(); } }
        fromFields = false;
        show(c, several);
      }, function (e) { if (mine === asking) { show({ valid: false, output: e.message, command: '' }, several); } });
    }
    function show(c, several) {
      var lines = c.output.split('\n'), first = lines.filter(function (line) { return /^(Fits|Does not fit)/.test(line); })[0];
      startButton.disabled = !c.valid || !state.allow_runs;
      startButton.textContent = several ? 'Start the sweep' : 'Start';
      verdict.textContent = !c.valid ? lines[0] : first || (several ? 'A sweep: valid.' : 'Valid.');
      verdict.classList.toggle('error', !c.valid);
      cost.textContent = last === 'fits' ? '' : c.seconds ? 'Earlier runs took about ' + seconds(c.seconds) + ', without start and inputs.' : q ? 'A run takes about ' + q.seconds + ' s.' : '';
      result.textContent = ''; problem.textContent = '';
      var text = first ? lines.filter(function (line, i) { return line !== first && (line || lines[i - 1] !== first); }).join('\n') : c.output;
      var output = c.valid && q && last === 'check' ? null : h('pre', { class: c.valid ? '' : 'error', tabindex: 0 }, text);
      add(c.valid ? result : problem, last === 'fits' || !c.valid ? output : null);
      add(result, c.command ? [q && h('h2', {}, 'The same in a shell'), s.copy(c.command)] : null);
      add(result, last === 'fits' || !c.valid ? null : output);
    }
    function seconds(n) { return (n < 10 ? n.toFixed(1) : n.toFixed(0)) + ' s'; }
    function begin() {
      post('start', { stage: a.stage, words: words(), sweep: isSweep() }).then(function (j) { location.hash = '#/job/' + j.id; }, fail);
    }

    function field(f) {
      var about = 'about-' + f.key, short = f.options.length > 0 && f.options.length <= 12, list = f.options.length > 12 ? 'list-' + f.key : false;
      var input = h('input', { type: 'text', value: values[f.key] || '', placeholder: f.def === 'null' ? '' : f.def, input: set, 'aria-describedby': about, list: list, autocomplete: 'off', spellcheck: 'false' });
      if (short && (q || !sweep.checked)) {
        input = h('select', { change: set, 'aria-describedby': about }, [''].concat(f.options).map(function (o) { return h('option', { value: o, selected: o === (values[f.key] || '') }, o || (f.def && f.def !== 'null' ? 'default: ' + f.def : 'default')); }));
        if (values[f.key] && f.options.indexOf(values[f.key]) < 0) { add(input, h('option', { selected: true }, values[f.key])); }
      }
      function set() {
        values[f.key] = input.value.trim(); part.classList.toggle('set', !q && input.value !== ''); changed();
        if (input.tagName === 'SELECT' && fields.some(function (g) { return g.when.some(function (w) { return w.indexOf(f.key + '=') === 0; }); })) {
          draw();
          var same = main.querySelector('[aria-describedby="' + CSS.escape(about) + '"]');
          if (same) { same.focus(); }
        }
      }
      var part = h('div', { class: !q && values[f.key] ? 'set' : '' }, h('label', {}, f.label, q && h('code', {}, f.key), input), list && h('datalist', { id: list }, f.options.map(function (o) { return h('option', { value: o }); })),
        h('small', { id: about }, f.doc + (f.range ? ' ' + bounds(f.range) + (f.unit ? ' ' + f.unit : '') + '.' : f.unit ? ' In ' + f.unit + '.' : '')));
      return part;
    }
    function isEnabled(f) {
      return f.when.every(function (w) {
        var k = w.slice(0, w.indexOf('=')), d = info(k);
        return (values[k] || (d && d.def)) === w.slice(k.length + 1) || (!values[k] && values[k.replace(/\.[^.]*$/, '')]);
      });
    }
    function draw() {
      var text = filter.value.toLowerCase(), sections = {}, seen = {};
      box.textContent = '';
      if (q) {
        var more = fields.filter(function (f) { return f.more; });
        add(box, [q.loads.length > 0 && h('div', { class: 'row', role: 'group', 'aria-label': 'Presets' }, q.loads.map(preset)), h('div', { class: 'keys few' }, fields.filter(function (f) { return !f.more; }).map(field)),
          h('details', { open: Boolean(others.value) || more.some(function (f) { return values[f.key]; }) }, h('summary', {}, 'More'), h('div', { class: 'keys few' }, more.map(field), h('div', {}, h('label', {}, 'Further keys', others))))]);
        return;
      }
      fields.forEach(function (f) {
        var shown = f.group || values[f.key] || (isEnabled(f) && (f.key + ' ' + f.doc).toLowerCase().indexOf(text) >= 0), name = f.group ? '' : f.key.split('.')[0];
        if (shown && !seen[f.key]) { seen[f.key] = true; (sections[name] = sections[name] || []).push(f); }
      });
      add(box, h('fieldset', {}, h('legend', {}, 'Choices'), h('div', { class: 'keys' }, (sections[''] || []).map(field))));
      keysBox.textContent = '';
      Object.keys(sections).filter(Boolean).forEach(function (name) {
        add(keysBox, h('details', { open: text !== '' || sections[name].some(function (f) { return values[f.key]; }) }, h('summary', {}, name + ', ' + sections[name].length + (sections[name].length === 1 ? ' key' : ' keys')), h('div', { class: 'keys' }, sections[name].map(field))));
      });
    }
    function preset(load) {
      return h('button', { type: 'button', click: function () { Object.assign(values, load.values); draw(); changed(); say(load.name + ': ' + query(load.values).replace('&', ', ')); } }, load.name);
    }

    document.title = (q ? q.title : 'New run: ' + a.stage) + ' – Stagesim studio';
    add(main, [h('h1', {}, q ? q.title : 'New run: ' + a.stage), h('p', { class: 'lead' }, q ? q.about : a.doc)]);
    if (q) { add(main, h('p', {}, allKeys)); add(allKeys, 'All keys of ' + a.stage); add(main, box); }
    add(main, [verdict, problem, last === 'check' && h('div', { class: 'row' }, startButton, cost, q ? null : h('label', { class: 'field' }, sweep, 'a sweep: values may be lists such as 1,2,4 or range(1,5)'),
      state.allow_runs ? null : h('span', { class: 'faint' }, 'Starting needs ./stage studio --allow-runs; the command can be copied.')), q && trial && trial.box, result]);
    if (!q) { add(main, [box, trial && trial.box, h('h2', {}, 'Keys'), h('div', { class: 'row' }, h('div', { class: 'grow' }, filter)), keysBox, h('p', {}, h('label', { class: 'field' }, 'further overrides ', others))]); }
    draw(); check();
  }

  var FIRST = ['devices', 'ttft_p50_ms', 'ttft_p99_ms', 'tpot_p50_ms', 'tpot_p99_ms', 'e2e_p50_ms', 'e2e_p99_ms', 'throughput_tokens_per_s', 'throughput_requests_per_s', 'usd_per_mtok'];

  /* Metrics without a run: sliders change keys, and a table shows the effect. If a simulation takes long, an estimate is shown first. */
  function whatIf(a, words, set, title) {
    var before = {}, now = {}, beforeWords = [], pinned = false, isNew = true, kind = '', config = {}, busy = false, again = false, last = '', wait = 0, rest = 0;
    var shown = [a.fields.some(function (f) { return f.path === 'load'; }) ? 'load' : 'arrival.qps'];
    var rows = h('div', {}), took = h('p', { class: 'faint', role: 'status' }), more = h('select', { 'aria-label': 'Key of a further slider', change: further }), ranges = h('div', { class: 'keys' });
    var mark = h('button', { type: 'button', disabled: true, click: function () { before = now; beforeWords = JSON.parse(last || '[]'); pinned = true; draw(); } }, 'Compare with this');
    var box = h('section', {}, h('h2', {}, title), ranges, h('div', { class: 'row' }, more, mark, took), rows);
    function value(path) { return path.split('.').reduce(function (o, k) { return o === null || o === undefined ? undefined : o[k]; }, config); }
    function keys() { return a.fields.filter(function (f, i) { return typeof value(f.path) === 'number' && a.fields.findIndex(function (g) { return g.path === f.path; }) === i; }); }
    function further() { if (more.value) { shown.push(more.value); drawRanges(); } }
    /* One question at a time; when others came meanwhile, the newest is asked next. */
    function ask(fresh) {
      var asked = words();
      if (JSON.stringify(asked) === last) { again = false; return; }
      isNew = isNew || (fresh && !pinned);
      if (busy) { again = true; return; }
      again = false;
      busy = true; last = JSON.stringify(asked); clearTimeout(rest);
      if (!rows.firstChild) { took.textContent = 'Working …'; took.className = 'faint'; }
      post('whatif', { stage: a.stage, words: asked, sweep: false, soon: true }).then(function (r) {
        now = {};
        if (isNew) { before = now; beforeWords = asked; isNew = false; }
        take(r);
        if (!r.exact) { rest = setTimeout(function () { all(asked); }, 400); }
      }, failed).then(function () {
        busy = false;
        if (again && rows.isConnected) { ask(false); }
      });
    }
    /* All figures, when the sliders rest. */
    function all(asked) {
      function isOld() { return JSON.stringify(asked) !== last || !rows.isConnected; }
      if (isOld()) { return; }
      post('whatif', { stage: a.stage, words: asked, sweep: false }).then(function (r) { if (!isOld()) { take(r); } }, function (e) {
        if (/^another question/.test(e.message)) { rest = setTimeout(function () { all(asked); }, 500); } else if (!isOld()) { failed(e); }
      });
    }
    function failed(e) {
      took.textContent = e.message; took.className = 'error'; stale(); last = '';
      if (/^another question/.test(e.message)) { setTimeout(function () { if (rows.isConnected) { ask(false); } }, 500); }
    }
    function take(r) {
      var moved = JSON.stringify(r.config) !== JSON.stringify(config);
      kind = r.exact ? 'exact' : 'soon'; now[kind] = r.figures; config = r.config;
      mark.disabled = !r.exact;
      took.textContent = (r.exact ? 'Simulated' : r.how) + ' in ' + (r.ms < 1000 ? r.ms + ' ms' : (r.ms / 1000).toFixed(1) + ' s') + (r.exact ? '.' : '; the whole simulation follows.'); took.className = 'faint'; rows.style.opacity = '';
      if (moved && !ranges.contains(document.activeElement)) { drawRanges(); }
      draw();
    }
    function stale() { rows.style.opacity = .45; }
    function drawRanges() {
      ranges.textContent = '';
      add(ranges, keys().filter(function (f) { return shown.indexOf(f.path) >= 0; }).map(range));
      more.textContent = '';
      add(more, h('option', { value: '' }, 'a further slider…'));
      add(more, keys().filter(function (f) { return shown.indexOf(f.path) < 0; }).map(function (f) { return h('option', { value: f.path }, f.path); }));
    }
    function range(f) {
      var at = value(f.path), m = /^>?(.*)\.\.(.*)$/.exec(f.range) || ['', '', ''], whole = f.is_whole;
      var low = Math.max(m[1] === '' ? -Infinity : Number(m[1]), at > 0 ? at / 8 : 0), high = Math.min(m[2] === '' ? Infinity : Number(m[2]), at > 0 ? at * 8 : 1), log = low > 0;
      function of(x) { var v = log ? low * Math.pow(high / low, x / 100) : low + (high - low) * x / 100; return whole ? Math.round(v) : Number(v.toPrecision(3)); }
      var start = log ? 100 * Math.log(at / low) / Math.log(high / low) : 100 * (at - low) / (high - low);
      var out = h('output', {}, words2(at)), input = h('input', { type: 'range', min: 0, max: 100, step: 0.5, value: start, 'aria-valuetext': String(at), input: function () {
        var v = of(Number(input.value)); out.textContent = words2(v); input.setAttribute('aria-valuetext', String(v));
        clearTimeout(wait); wait = setTimeout(function () { set(f.path, String(v)); ask(false); }, 40);
      } });
      function words2(v) { return v.toLocaleString('en', { maximumSignificantDigits: 4 }) + (f.unit ? ' ' + f.unit : ''); }
      return h('div', {}, h('label', {}, f.path, ' ', out, input));
    }
    function draw() {
      var was = before[kind] || {}, is = now[kind] || {}, names = Object.keys(Object.assign({}, was, is)).sort(function (p, r) { return rank(p) - rank(r); }), asked = JSON.parse(last || '[]'), same = before === now;
      function other(some, rest) { return some.filter(function (word) { return rest.indexOf(word) < 0; }).join(' ') || 'the defaults'; }
      function rank(name) { var at = FIRST.indexOf(name); return at < 0 ? FIRST.length : at; }
      function show(v) { return v === undefined ? '–' : v; }
      rows.textContent = '';
      add(rows, [same ? s.table('Metrics', ['metric', 'value'], names.map(function (k) { return [s.metric(k), show(is[k])]; })) : s.table('Changes', ['metric', 'before', 'now', 'change'], names.map(function (k) {
        var b = was[k], n = is[k];
        return [s.metric(k), show(b), show(n), b === undefined || n === undefined || b === n ? '' : b === 0 ? '–' : (n > b ? '+' : '−') + (Math.abs(n / b - 1) * 100).toFixed(1) + ' %'];
      })), same ? null : h('p', { class: 'faint' }, 'Before: ' + other(beforeWords, asked) + '. Now: ' + other(asked, beforeWords) + '.'),
      names.some(function (k) { return is[k] === undefined; }) && h('p', { class: 'faint' }, 'A metric without a value (–) does not exist with these settings, for example because no deployment meets the SLO.')]);
    }
    drawRanges();
    return { box: box, ask: ask, stale: stale };
  }

  function bounds(range) {
    var m = /^(>?)(.*)\.\.(.*)$/.exec(range);
    return m[2] === '' ? 'At most ' + m[3] : (m[1] ? 'More than ' : m[3] === '' ? 'At least ' : 'From ') + m[2] + (m[3] === '' ? '' : m[1] ? ', at most ' + m[3] : ' to ' + m[3]);
  }

  s.views.new = start;
  s.views.ask = question;
}());
