'use strict';
(function () {
  var SVG = ['svg', 'g', 'path', 'line', 'text', 'circle', 'rect', 'title'];
  var main = document.getElementById('main'), status = document.getElementById('status');
  var chosen = [], turn = 0, timer = 0, keys = {};

  /* Elements are made, never written as text: what runs hold cannot become markup. */
  function h(name, attributes) {
    var e = SVG.indexOf(name) >= 0 ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    Object.keys(attributes || {}).forEach(function (k) {
      var v = attributes[k];
      if (typeof v === 'function') { e.addEventListener(k, v); } else if (v !== false && v !== undefined && v !== null) { e.setAttribute(k, v === true ? '' : v); }
    });
    for (var i = 2; i < arguments.length; i++) { add(e, arguments[i]); }
    return e;
  }
  function add(e, child) {
    if (Array.isArray(child)) { child.forEach(function (c) { add(e, c); }); } else if (child !== undefined && child !== null && child !== false) { e.append(child); }
  }
  function say(text, bad) { status.textContent = text; status.className = bad ? 'error' : ''; }
  function query(of) {
    var p = new URLSearchParams();
    Object.keys(of).forEach(function (k) { [].concat(of[k]).forEach(function (v) { if (v !== '' && v !== undefined && v !== null) { p.append(k, v); } }); });
    return p.toString();
  }
  function ask(name, of) { return answer(fetch('/api/' + name + (of ? '?' + query(of) : ''))); }
  function tell(name, body) {
    return answer(fetch('/api/' + name, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }));
  }
  function answer(reply) {
    return reply.then(function (r) { return r.json().then(function (j) { if (!r.ok) { throw new Error(j.error || 'refused'); } return j; }); });
  }
  function fail(e) { say(e.message === 'Failed to fetch' ? 'The server does not answer: was it ended?' : e.message, true); }
  function number(text) { return text !== '' && text !== null && isFinite(Number(text)); }
  function words(v) {
    if (!number(v)) { return v === null || v === undefined || v === '' ? '–' : String(v); }
    var n = Number(v), a = Math.abs(n);
    if (Number.isInteger(n)) { return n.toLocaleString('en'); }
    return a >= 1e-3 && a < 1e15 ? n.toLocaleString('en', { maximumSignificantDigits: 5 }) : n.toExponential(3);
  }
  function bytes(n) { return n < 0 ? 'missing' : n < 1e3 ? n + ' B' : n < 1e6 ? (n / 1e3).toFixed(1) + ' kB' : (n / 1e6).toFixed(1) + ' MB'; }
  function time(iso) { return iso ? iso.slice(0, 16).replace('T', ' ') : '–'; }
  function go(view, of, replace) {
    var to = '#/' + view + (of && query(of) ? '?' + query(of) : '');
    if (replace) { history.replaceState(null, '', to); } else { location.hash = to; }
  }
  function link(run, text) { return h('a', { href: '#/run/' + run.split('/').map(encodeURIComponent).join('/') }, text || run); }
  function file(run, path) { return '/files/' + run.split('/').concat(path.split('/')).map(encodeURIComponent).join('/'); }
  function stageOf(id) { return id.slice(0, id.lastIndexOf('-')) + '/' + id; }
  function scroll(label, content) { return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, content); }
  function table(label, heads, rows) {
    var figures = heads.map(function (t, i) { return i && rows.some(function (r) { return typeof r[i] === 'number'; }) ? 'num' : ''; });
    return scroll(label, h('table', {}, h('thead', {}, h('tr', {}, heads.map(function (t, i) { return h('th', { scope: 'col', class: figures[i] }, t); }))),
      h('tbody', {}, rows.map(function (r) {
        return h('tr', {}, r.map(function (c, i) {
          var text = typeof c === 'number' ? words(c) : c;
          return i === 0 ? h('th', { scope: 'row' }, text) : h('td', { class: typeof c === 'number' || text === '–' ? figures[i] : '' }, text);
        }));
      }))));
  }
  function copy(text) {
    return h('div', { class: 'row' }, h('pre', { class: 'grow' }, text), h('button', { type: 'button', click: function () {
      navigator.clipboard.writeText(text).then(function () { say('Copied.'); }, function () { say('This browser does not let pages copy.', true); });
    } }, 'Copy'));
  }
  function select(label, options, value, changed) {
    var s = h('select', { change: function () { changed(s.value); } }, options.map(function (o) { return h('option', { value: o, selected: o === value }, o); }));
    return h('label', { class: 'field' }, label, s);
  }
  function sorting(name, sort, text, changed, figure) {
    var state = sort === name ? 'ascending' : sort === '-' + name ? 'descending' : false;
    return h('th', { scope: 'col', 'aria-sort': state, class: figure ? 'num' : '' }, h('button', { type: 'button', click: function () { changed(state === 'ascending' ? '-' + name : name); } }, text || name));
  }
  function choose(run, on) {
    chosen = chosen.filter(function (r) { return r !== run; });
    if (on) { chosen.push(run); }
    document.getElementById('nav-compare').textContent = chosen.length ? 'Compare (' + chosen.length + ')' : 'Compare';
  }
  /* Titles of stages, and a metric's name as text. */
  var titles = { workload: 'Workload', real_bench: 'Measurement', vidur_profile: 'Operator profile', vidur_sim: 'Serving simulation', compare: 'Comparison', calibrate: 'Calibration', astra_sim: 'Collectives and training steps',
    scale_sim: 'Systolic array', fabric: 'Capacity plan', cluster_sim: 'Cluster simulation', serve_mock: 'Mock server', plan: 'Serving plan', suite_report: 'Suite report', train_plan: 'Training plan' };
  function metric(name) {
    return name.replace(/^usd_per_mtok$/, 'USD per million tokens').replace(/_(percent|pct)$/, ' (%)').replace(/_per_s$/, ' per second').replace(/_(ms|s|gib|kw)$/, function (m, unit) { return ' (' + unit.replace('gib', 'GiB').replace('kw', 'kW') + ')'; })
      .replace(/_/g, ' ').replace(/\b(ttft|tpot|e2e|slo|kv|mfu|p\d\d|usd)\b/g, function (word) { return word.toUpperCase(); });
  }
  function later(ms, work) { clearTimeout(timer); timer = setTimeout(work, ms); }

  /* ---- charts ---- */
  var W = Math.max(320, Math.min(760, document.documentElement.clientWidth - 40)), H = 380, L = 74, R = 34, T = 14, B = 48;
  function ticks(lo, hi, log) {
    var out = [], i;
    if (log) {
      for (i = Math.ceil(Math.log10(lo) - 1e-9); i <= Math.log10(hi) + 1e-9; i++) { out.push(Math.pow(10, i)); }
      if (out.length > 1) { return out; }
    }
    var raw = (hi - lo) / 5 || 1, p = Math.pow(10, Math.floor(Math.log10(raw))), step = [1, 2, 5, 10].map(function (m) { return m * p; }).filter(function (s) { return s >= raw; })[0];
    out = [];
    for (i = Math.ceil(lo / step); i * step <= hi + step * 1e-9; i++) { out.push(i * step); }
    return out;
  }
  function axis(values) {
    var lo = Infinity, hi = -Infinity;
    values.forEach(function (v) { if (v < lo) { lo = v; } if (v > hi) { hi = v; } });
    if (lo === hi) { lo -= Math.abs(lo) / 10 || 1; hi += Math.abs(hi) / 10 || 1; }
    var log = lo > 0 && hi / lo > 50;
    return { lo: lo, hi: hi, log: log, at: function (v) { return log ? Math.log(v / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo); } };
  }
  /* series: {name, points: [[x, y]]}; kind: 'lines' or 'points'; same: draws where both are equal */
  function chart(title, series, xName, yName, kind, same) {
    var hidden = {}, box = h('figure', {}), readout = h('p', { class: 'readout' });
    function draw() {
      var all = [];
      series.forEach(function (s) { if (!hidden[s.name]) { all = all.concat(s.points); } });
      var plot = h('svg', { class: 'plot', viewBox: '0 0 ' + W + ' ' + H, role: 'img', 'aria-label': title });
      box.textContent = '';
      if (all.length) {
        var x = axis(all.map(function (p) { return p[0]; }).concat(same ? all.map(function (p) { return p[1]; }) : []));
        var y = same ? x : axis(all.map(function (p) { return p[1]; }));
        var px = function (v) { return L + x.at(v) * (W - L - R); }, py = function (v) { return H - B - y.at(v) * (H - T - B); };
        ticks(y.lo, y.hi, y.log).forEach(function (v) {
          add(plot, [h('line', { class: 'grid', x1: L, x2: W - R, y1: py(v), y2: py(v) }), h('text', { x: L - 8, y: py(v) + 4, 'text-anchor': 'end' }, words(v))]);
        });
        ticks(x.lo, x.hi, x.log).forEach(function (v) {
          add(plot, [h('line', { class: 'grid', x1: px(v), x2: px(v), y1: T, y2: H - B }), h('text', { x: px(v), y: H - B + 18, 'text-anchor': 'middle' }, words(v))]);
        });
        add(plot, [h('text', { x: (L + W - R) / 2, y: H - 8, 'text-anchor': 'middle' }, xName + (x.log ? ' (logarithmic)' : '')),
          h('text', { x: 14, y: (H - B) / 2, 'text-anchor': 'middle', transform: 'rotate(-90 14 ' + (H - B) / 2 + ')' }, yName + (y.log ? ' (logarithmic)' : ''))]);
        if (same) { add(plot, h('path', { class: 'same', d: 'M' + px(x.lo) + ' ' + py(x.lo) + 'L' + px(x.hi) + ' ' + py(x.hi) })); }
        series.forEach(function (s, i) {
          if (hidden[s.name]) { return; }
          var g = h('g', { class: 'k' + i % 8 });
          if (kind === 'lines') {
            add(g, h('path', { class: 'd' + i % 4, d: s.points.map(function (p, j) { return (j ? 'L' : 'M') + px(p[0]).toFixed(1) + ' ' + py(p[1]).toFixed(1); }).join('') }));
          } else {
            s.points.forEach(function (p) { add(g, h('circle', { cx: px(p[0]).toFixed(1), cy: py(p[1]).toFixed(1), r: 3 }, h('title', {}, s.name + '\n' + xName + ' ' + words(p[0]) + '\n' + yName + ' ' + words(p[1])))); });
          }
          add(plot, g);
        });
        if (kind === 'lines') { plot.addEventListener('mousemove', function (e) { read(e, plot, x); }); }
      } else { add(plot, h('text', { x: W / 2, y: H / 2, 'text-anchor': 'middle' }, 'no values')); }
      add(box, [h('figcaption', {}, title), plot, readout]);
    }
    function read(e, plot, x) {
      var r = plot.getBoundingClientRect(), share = ((e.clientX - r.left) / r.width * W - L) / (W - L - R);
      if (share < 0 || share > 1) { return; }
      var v = x.log ? x.lo * Math.pow(x.hi / x.lo, share) : x.lo + share * (x.hi - x.lo);
      readout.textContent = xName + ' ≤ ' + words(Number(v.toPrecision(4))) + ':  ' + series.filter(function (s) { return !hidden[s.name]; }).map(function (s) {
        var below = s.points.filter(function (p) { return p[0] <= v; });
        return s.name + ' ' + words(below.length ? below[below.length - 1][1] : 0) + ' %';
      }).join('   ');
    }
    draw();
    return h('div', {}, h('ul', { class: 'legend' }, series.map(function (s, i) {
      var b = h('button', { type: 'button', 'aria-pressed': 'true', click: function () {
        hidden[s.name] = !hidden[s.name]; b.setAttribute('aria-pressed', String(!hidden[s.name])); draw();
      } }, h('span', { class: 'swatch k' + i % 8 }), s.name);
      return h('li', {}, b);
    })), box);
  }

  /* ---- the list of runs ---- */
  function runs(of) {
    var q = of.get('q') || '', sort = of.get('sort') || '-ended', from = Number(of.get('from') || 0), columns = of.getAll('column'), everything = of.get('all') === '1';
    var count = h('span', { id: 'count' }), list = h('div', { class: 'runs' }), pages = h('div', { class: 'row' }), choices = h('div', { class: 'columns' }), here = -1, mine = turn, shown = null, offered = null, current = [], writing = 0, written = Promise.resolve();
    var search = h('input', { type: 'search', id: 'search', value: q, 'aria-label': 'Search runs', placeholder: 'words, or comparisons such as ttft_p99_ms<500 scheduler.kind=vllm stage=vidur_sim tag=keep',
      input: function () { q = search.value; from = 0; update(true); } });
    var all = h('input', { type: 'checkbox', id: 'all', change: function () { everything = all.checked; from = 0; load(); } }), hidden = h('span', {});
    all.checked = everything;
    function where() { return { q: q, sort: sort === '-ended' ? '' : sort, from: from || '', column: columns, all: everything ? 1 : '' }; }
    function update(typed) { if (typed) { later(120, load); } else { load(); } }
    function load() {
      go('runs', where(), true);
      ask('runs', { q: q, sort: sort, from: from, column: columns, all: everything ? 1 : '' }).then(function (a) {
        if (mine !== turn) { return; }
        show(a);
        later(a.complete ? 4000 : 700, function () { if (mine === turn) { load(); } });
      }, fail);
    }
    function show(a) {
      var listed = a.total - a.hidden;
      count.textContent = (a.matched === listed ? '' : a.matched.toLocaleString('en') + ' of ') + listed.toLocaleString('en') + (listed === 1 ? ' run' : ' runs') + (a.complete ? '' : ', reading more …');
      hidden.textContent = 'intermediate and unfinished runs' + (a.hidden ? ' (' + a.hidden.toLocaleString('en') + ')' : '');
      var text = sort + JSON.stringify(a);
      if (text === shown) { return; }
      shown = text;
      var left = list.firstChild ? list.firstChild.scrollLeft : 0, focused = document.activeElement && list.contains(document.activeElement) && document.activeElement.closest('tr');
      var heads = [h('th', { scope: 'col', 'aria-label': 'chosen' }, '✓'), head('stage', 'result')].concat(a.columns.map(function (c, i) { return head(c, metric(c), isNumber(a, i)); }));
      list.textContent = '';
      add(list, scroll('Runs', h('table', {}, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, a.rows.map(function (r) { return row(r, a); })))));
      list.firstChild.scrollLeft = left;
      if (focused) { mark(here, true); } else if (here >= 0) { mark(here, false); }
      if (!a.rows.length) { add(list, h('p', {}, listed ? 'No run matches.' : 'No results yet. ', listed ? null : h('a', { href: '#/new' }, 'Start one'))); }
      pages.textContent = '';
      if (a.matched > a.rows.length) {
        add(pages, [page('Previous', -100, from > 0), h('span', {}, (from + 1).toLocaleString('en') + ' to ' + (from + a.rows.length).toLocaleString('en')), page('Next', 100, from + 100 < a.matched)]);
      }
      offer(a);
    }
    function isNumber(a, i) { return a.rows.some(function (r) { return number(r.values[i]); }); }
    /* The choice of columns, which the server stores. It is drawn again only if the metrics of the list change. */
    function offer(a) {
      var names = a.common.concat(a.figures, a.columns.filter(function (c) { return a.common.indexOf(c) < 0 && a.figures.indexOf(c) < 0; })), text = JSON.stringify([names, a.columns]);
      if (!writing) { current = a.columns; }
      if (text === offered) { return; }
      var focused = choices.contains(document.activeElement) ? document.activeElement.value : null;
      offered = text;
      choices.textContent = '';
      names.forEach(function (name) {
        var box = h('input', { type: 'checkbox', value: name, change: function () { keep(box.checked ? current.concat([name]) : current.filter(function (c) { return c !== name; })); } });
        box.checked = a.columns.indexOf(name) >= 0;
        add(choices, h('label', { title: name }, box, ' ', metric(name)));
        if (name === focused) { box.focus(); }
      });
      var key = h('input', { type: 'text', 'aria-label': 'Name of a key', placeholder: 'a key, such as arrival.qps' });
      add(choices, [h('form', { class: 'row', submit: function (e) { e.preventDefault(); if (key.value.trim()) { keep(current.concat([key.value.trim()])); } } }, key, h('button', {}, 'Add column')),
        h('button', { type: 'button', click: function () { keep([]); } }, 'Default columns')]);
    }
    function keep(names) {
      current = names; writing++;
      written = written.then(function () { return tell('columns', { columns: current }); }).catch(fail).then(function () { writing--; columns = []; if (!writing) { load(); } });
    }
    function page(text, by, on) { return h('button', { type: 'button', disabled: !on, click: function () { from = Math.max(0, from + by); here = -1; load(); } }, text); }
    function head(name, text, figure) { return sorting(name, sort, text, function (s) { sort = s; from = 0; load(); }, figure); }
    function narrow(name, value, text) {
      return value ? h('a', { href: '#/runs?' + query({ q: (q + ' ' + name + '=' + (/\s/.test(value) ? '"' + value + '"' : value)).trim() }), title: value }, text || value) : '–';
    }
    function cell(name, v) {
      if (name === 'model' || name === 'hardware' || name === 'engine') { return h('td', { class: name === 'engine' ? '' : 'name' }, narrow(name, v, v.replace(/^.*\//, ''))); }
      if (name === 'workload' || name === 'overrides') { return h('td', { class: 'wide' }, v || '–'); }
      if (name === 'ended') { return h('td', {}, time(v)); }
      return h('td', { class: number(v) || words(v) === '–' ? 'num' : '' }, words(v));
    }
    function row(r, a) {
      var name = r.stage + '/' + r.id, box = h('input', { type: 'checkbox', 'aria-label': 'choose ' + name, change: function () { choose(name, box.checked); tr.classList.toggle('chosen', box.checked); } });
      box.checked = chosen.indexOf(name) >= 0;
      var tr = h('tr', { 'data-run': name, tabindex: -1, class: box.checked ? 'chosen' : '', focus: function () { here = a.rows.indexOf(r); } }, h('td', {}, box),
        h('th', { scope: 'row', title: r.note || r.id }, link(name, titles[r.stage] || r.stage), r.state === 'finished' ? null : ' (' + r.state + ')', r.warnings ? h('span', { class: 'faint' }, ' ' + r.warnings + (r.warnings > 1 ? ' warnings' : ' warning')) : null,
          r.tags.map(function (t) { return [' ', h('a', { class: 'tag', href: '#/runs?' + query({ q: 'tag=' + t }) }, t)]; }), r.note ? ' ✎' : ''),
        a.columns.map(function (c, i) { return cell(c, r.values[i]); }));
      return tr;
    }
    function rows() { return list.querySelectorAll('tbody tr'); }
    function mark(i, focus) {
      var all = rows();
      all.forEach(function (tr) { tr.classList.remove('here'); });
      if (!all.length) { return; }
      here = Math.max(0, Math.min(i, all.length - 1));
      all[here].classList.add('here');
      if (focus) { all[here].focus({ preventScroll: true }); all[here].scrollIntoView({ block: 'nearest' }); }
    }
    keys = {
      '/': function () { search.focus(); search.select(); }, j: function () { mark(here + 1, true); }, k: function () { mark(here - 1, true); },
      x: function () { var tr = rows()[here]; if (tr) { tr.querySelector('input').click(); } }, c: function () { go('compare', { run: chosen }); },
      Enter: function () { var tr = rows()[here]; if (tr) { tr.querySelector('a').click(); } },
      n: function () { press('Next'); }, p: function () { press('Previous'); }
    };
    function press(text) { pages.querySelectorAll('button').forEach(function (b) { if (b.textContent === text) { b.click(); } }); }
    add(main, [h('h1', {}, 'Runs'), h('div', { class: 'row' }, h('div', { class: 'grow' }, search), count), h('div', { class: 'row' }, h('label', { class: 'field' }, all, hidden), h('button', { type: 'button', click: keys.c }, 'Compare the chosen')),
      h('details', {}, h('summary', {}, 'Columns'), choices), list, pages]);
    load();
  }

  /* ---- one run ---- */
  function run(of, parts) {
    var name = parts.join('/');
    ask('run', { run: name }).then(function (a) {
      var title = titles[parts[0]] || parts[0], subject = a.subject, q = questionOf[parts[0]];
      add(main, [h('h1', {}, title + (subject.model ? ' of ' + subject.model.replace(/^.*\//, '') : '') + (subject.hardware ? ' on ' + subject.hardware : '')),
        h('p', { class: 'lead' }, [subject.engine, subject.workload].filter(Boolean).join(', ') || a.state), h('p', { class: 'faint' }, name, a.ended ? ', ended ' + time(a.ended) : ''), a.problem && h('p', { class: 'error' }, a.problem)]);
      if (!a.command) { add(main, notes(name, a)); return; }
      add(main, h('div', { class: 'row' },
        has(a, 'report.html') && h('a', { href: file(name, 'report.html'), target: '_blank', rel: 'noopener' }, 'Open the report alone'),
        h('a', { href: '#/compare?' + query({ run: chosen.filter(function (r) { return r !== name; }).concat([name]) }) }, chosen.length ? 'Compare with the chosen' : 'Compare with others'),
        h('a', { href: '#/' + (q ? 'ask/' + q : 'new/' + parts[0]) + '?' + query({ word: a.overrides }) }, 'Vary it'),
        h('button', { type: 'button', click: function () { choose(name, true); say('Chosen: ' + chosen.join(', ')); } }, 'Choose for comparison')));
      add(main, a.warnings.length ? h('details', {}, h('summary', {}, a.warnings.length + (a.warnings.length > 1 ? ' warnings' : ' warning')), a.warnings.map(function (w) { return h('p', { class: 'warn' }, w); })) : null);
      add(main, has(a, 'report.html') && h('iframe', { src: file(name, 'report.html'), title: 'Report of ' + name }));
      var figures = Object.keys(a.figures);
      if (figures.length) {
        add(main, [h('h2', {}, 'Metrics'), h('ul', { class: 'cards' }, figures.map(function (f) {
          return h('li', { class: 'card', title: f }, h('div', { class: 'name' }, metric(f)), h('div', { class: 'big' }, words(a.figures[f])));
        }))]);
      }
      add(main, [notes(name, a), has(a, 'trace.json') && lazy('Timeline', function () { return timeline(name, a); }), artifacts(name, a), settings(a),
        a.inputs.length && [h('h2', {}, 'Inputs'), table('Inputs', ['role', 'run or file'], a.inputs.map(function (i) { return [i.role, i.run ? link(stageOf(i.run), i.run) : i.path]; }))],
        h('h2', {}, 'Command'), copy(a.command), h('p', {}, 'The same run from its saved configuration, even if configs change:'), copy(a.again)]);
    }, fail);
  }
  var questionOf = { vidur_sim: 'speed', plan: 'need', compare: 'measured', train_plan: 'train' };
  function has(a, path) { return a.outputs.some(function (o) { return o.path === path && o.bytes >= 0; }); }
  function lazy(title, content) {
    var d = h('details', { toggle: function () { if (d.open && d.children.length === 1) { add(d, content()); } } }, h('summary', {}, title));
    return d;
  }
  function notes(name, a) {
    var tags = h('input', { value: a.tags.join(' '), size: 24 }), text = h('textarea', { rows: 1 });
    text.value = a.note;
    return h('form', { class: 'row', submit: function (e) {
      e.preventDefault();
      tell('note', { run: name, tags: tags.value.split(/\s+/).filter(Boolean), text: text.value }).then(function () { say('Kept.'); }, fail);
    } }, h('label', { class: 'field' }, 'tags ', tags), h('label', { class: 'field grow' }, 'note ', text), h('button', {}, 'Keep'));
  }
  function settings(a) {
    var all = Object.keys(a.settings), body = h('div', {}), filter = h('input', { type: 'search', 'aria-label': 'Filter settings', placeholder: 'part of a key or value', input: draw });
    function draw() {
      var t = filter.value.toLowerCase();
      body.textContent = '';
      add(body, table('Configuration', ['key', 'value'], all.filter(function (k) { return (k + '=' + a.settings[k]).toLowerCase().indexOf(t) >= 0; }).map(function (k) { return [k, a.settings[k]]; })));
    }
    draw();
    return h('details', {}, h('summary', {}, 'Configuration, ' + all.length + ' keys'), h('div', { class: 'row' }, filter), body);
  }
  function artifacts(name, a) {
    var below = h('div', {});
    return [h('h2', {}, 'Artifacts'), table('Artifacts', ['file', 'rows', 'size', 'table'], a.outputs.map(function (o) {
      return [h('a', { href: file(name, o.path), target: '_blank', rel: 'noopener' }, o.path), o.rows === null ? '–' : o.rows, bytes(o.bytes),
        /^[^\/]+\.(csv|parquet)$/.test(o.path) ? h('button', { type: 'button', click: function () { below.textContent = ''; rows(below, name, o.path.replace(/\.(csv|parquet)$/, '')); } }, 'Look through') : ''];
    })), below];
  }
  function rows(into, name, tableName) {
    var sort = '', from = 0, body = h('div', {}), command = h('div', {});
    var where = h('input', { type: 'search', 'aria-label': 'Conditions on rows', placeholder: 'conditions, such as ttft_ns>5e8 status=completed', change: function () { from = 0; load(); } });
    function load() {
      say('');
      ask('table', { run: name, table: tableName, where: where.value.split(/\s+/), sort: sort, from: from }).then(function (a) {
        body.textContent = '';
        add(body, [scroll(tableName, h('table', {}, h('thead', {}, h('tr', {}, a.columns.map(function (c) { return sorting(c, sort, c, function (s) { sort = s; from = 0; load(); }, a.rows.length && number(a.rows[0][c])); }))),
          h('tbody', {}, a.rows.map(function (r) { return h('tr', {}, a.columns.map(function (c) { return h('td', { class: number(r[c]) ? 'num' : '' }, words(r[c])); })); })))),
          h('div', { class: 'row' }, step('Previous rows', -100, from > 0), h('span', {}, a.rows.length ? 'rows ' + (from + 1) + ' to ' + (from + a.rows.length) : 'no row matches'), step('Next rows', 100, a.more), a.end && h('span', {}, a.end))]);
        command.textContent = ''; add(command, copy(a.command));
      }, fail);
    }
    function step(text, by, on) { return h('button', { type: 'button', disabled: !on, click: function () { from += by; load(); } }, text); }
    add(into, [h('h3', {}, tableName), h('div', { class: 'row' }, h('div', { class: 'grow' }, where), h('button', { type: 'button', click: load }, 'Filter')), body, command]);
    load();
    into.scrollIntoView({ block: 'nearest' });
  }
  /* A window of a trace, drawn here: the longest spans in it, by lane. The file opens in Perfetto as well. */
  function timeline(name, a) {
    var box = h('div', {}, h('p', {}, 'Reading the trace …'));
    var size = a.outputs.filter(function (o) { return o.path === 'trace.json'; })[0].bytes;
    var save = h('p', {}, h('a', { href: file(name, 'trace.json'), download: a.run.replace('/', '-') + '-trace.json' }, 'Save the trace'), ', for example for ui.perfetto.dev, a site that is not on this machine and keeps the file in the browser.');
    if (size > 3e7) { box.textContent = ''; add(box, [h('p', {}, 'The trace is too large to be drawn here: ' + bytes(size) + '.'), save]); return box; }
    fetch(file(name, 'trace.json')).then(function (r) { return r.json(); }).then(function (t) {
      box.textContent = ''; add(box, [lanesOf(name, t.traceEvents || t), save]);
    }).catch(function () { box.textContent = ''; add(box, [h('p', {}, 'The trace cannot be drawn.'), save]); });
    return box;
  }
  function lanesOf(name, all) {
    var mostSpans = 4000, mostLanes = 40, side = Math.min(140, W * 0.3), lanes = [], names = {}, first = Infinity, last = 0, drag = null;
    var events = all.filter(function (e) { return e.ph === 'X' && isFinite(e.ts) && isFinite(e.dur); });
    all.forEach(function (e) { if (e.ph === 'M' && e.args) { names[e.name + ' ' + e.pid + (e.name === 'thread_name' ? ' ' + e.tid : '')] = e.args.name; } });
    events.forEach(function (e) { e.lane = e.pid + ' ' + e.tid; if (lanes.indexOf(e.lane) < 0) { lanes.push(e.lane); } first = Math.min(first, e.ts); last = Math.max(last, e.ts + e.dur); });
    if (!events.length) { return h('p', {}, 'The trace has no spans.'); }
    var from = first, to = last, whole = last - first || 1, found = lanes.length, said = h('p', { class: 'readout', role: 'status' });
    lanes = lanes.slice(0, mostLanes);
    var plot = h('svg', { class: 'plot timeline', viewBox: '0 0 ' + W + ' ' + (lanes.length * 22 + 30), role: 'img', tabindex: 0, 'aria-label': 'Timeline of ' + name });
    function label(lane) { var pid = lane.split(' ')[0]; return (names['process_name ' + pid] || pid) + ' / ' + (names['thread_name ' + lane] || lane.split(' ')[1]); }
    function ms(t) { return words(Number(((t - first) / 1000).toPrecision(6))) + ' ms'; }
    function draw() {
      var per = (W - side - 10) / (to - from), inside = events.filter(function (e) { return e.ts < to && e.ts + e.dur > from && lanes.indexOf(e.lane) >= 0; });
      var drawn = inside.length > mostSpans ? inside.slice().sort(function (p, q) { return q.dur - p.dur; }).slice(0, mostSpans) : inside;
      plot.textContent = '';
      lanes.forEach(function (lane, i) { add(plot, h('text', { x: 0, y: i * 22 + 15 }, label(lane).slice(0, Math.floor(side / 7)), h('title', {}, label(lane)))); });
      drawn.forEach(function (e) {
        var x = side + Math.max(0, e.ts - from) * per, end = side + (Math.min(to, e.ts + e.dur) - from) * per;
        add(plot, h('rect', { class: end - x > 3 ? 'span apart' : 'span', x: x, y: lanes.indexOf(e.lane) * 22 + 3, width: Math.max(0.7, end - x), height: 16 }, h('title', {}, e.name + '\n' + words(e.dur / 1000) + ' ms at ' + ms(e.ts))));
      });
      add(plot, [h('text', { x: side, y: lanes.length * 22 + 22 }, ms(from)), h('text', { x: W - 10, y: lanes.length * 22 + 22, 'text-anchor': 'end' }, ms(to))]);
      said.textContent = ms(from) + ' to ' + ms(to) + ': ' + inside.length + ' of ' + events.length + ' spans' + (drawn.length < inside.length ? ', the ' + mostSpans + ' longest are drawn' : '') + (found > mostLanes ? '; the first ' + mostLanes + ' of ' + found + ' lanes' : '') + '.';
    }
    function show(start, width) {
      width = Math.min(whole, Math.max(whole / 1e6, width));
      from = Math.max(first, Math.min(start, first + whole - width)); to = from + width; draw();
    }
    function zoom(by, at) { at = at === undefined ? 0.5 : at; show(from + (to - from) * at * (1 - by), (to - from) * by); }
    function pan(by) { show(from + (to - from) * by, to - from); }
    function share(e) { var r = plot.getBoundingClientRect(); return Math.max(0, Math.min(1, ((e.clientX - r.left) / r.width * W - side) / (W - side - 10))); }
    var does = { '+': function () { zoom(0.5); }, '-': function () { zoom(2); }, ArrowLeft: function () { pan(-0.25); }, ArrowRight: function () { pan(0.25); }, 0: function () { show(first, whole); } };
    plot.addEventListener('keydown', function (e) { var act = does[e.key === '=' ? '+' : e.key]; if (act) { e.preventDefault(); e.stopPropagation(); act(); } });
    plot.addEventListener('dblclick', function (e) { zoom(0.25, share(e)); });
    plot.addEventListener('pointerdown', function (e) { drag = { at: share(e), from: from }; });
    plot.addEventListener('pointermove', function (e) { if (drag && e.buttons) { show(drag.from + (drag.at - share(e)) * (to - from), to - from); } });
    draw();
    return h('div', {}, h('div', { class: 'row' }, [['Zoom in', '+'], ['Zoom out', '-'], ['Earlier', 'ArrowLeft'], ['Later', 'ArrowRight'], ['All', '0']].map(function (b) { return h('button', { type: 'button', title: 'key ' + b[1].replace('Arrow', ''), click: does[b[1]] }, b[0]); })),
      plot, said, h('p', { class: 'faint' }, 'A double click zooms in, dragging moves; keys + − ← → 0.'));
  }

  /* nanoseconds are drawn in milliseconds */
  function unit(column) { return /_ns$/.test(column) ? { name: column.replace(/_ns$/, '_ms'), of: function (v) { return v / 1e6; } } : { name: column, of: function (v) { return v; } }; }

  /* ---- several runs ---- */
  /* Names runs by the values that differ; runs with equal values also by their ids. */
  function runLabels(a) {
    var words = a.overrides.map(function (o) { return o.split(' ').filter(function (w) { return w; }); });
    var names = words.map(function (own, i) {
      var stage = a.runs[i].split('/')[0], sameStage = a.runs.every(function (r) { return r.split('/')[0] === stage; });
      return (sameStage ? [] : [titles[stage] || stage]).concat(own.filter(function (w) { return !words.every(function (o) { return o.indexOf(w) >= 0; }); })).join(' ');
    });
    return names.map(function (n, i) {
      var short = n.length > 60 ? n.slice(0, 59) + '…' : n, id = a.runs[i].slice(a.runs[i].indexOf('/') + 1);
      return !n ? id : names.indexOf(n) !== names.lastIndexOf(n) || short !== n ? short + ' (' + id.slice(-6) + ')' : short;
    });
  }
  function compare(of) {
    var names = of.getAll('run');
    if (!names.length && chosen.length) { go('compare', { run: chosen }); return; }
    add(main, h('h1', {}, 'Compare'));
    if (!names.length) { add(main, h('p', {}, 'Choose runs in the list with their boxes, or with the key x, then press c.')); return; }
    ask('compare', { run: names }).then(function (a) {
      var label = runLabels(a), figures = Object.keys(a.figures), differ = Object.keys(a.differ), inputs = Object.keys(a.inputs);
      add(main, h('ul', { class: 'legend' }, a.runs.map(function (r, i) {
        return h('li', {}, h('span', { class: 'swatch k' + i % 8 }), link(r, label[i]), ' ', h('span', { class: 'faint' }, a.overrides[i]), ' ',
          names.length > 1 && h('a', { href: '#/compare?' + query({ run: names.filter(function (n) { return n !== r; }) }), 'aria-label': 'leave out ' + r }, 'leave out'));
      })));
      add(main, [h('h2', {}, 'Settings that differ'), differ.length ? table('Settings that differ', ['key'].concat(label), differ.map(function (k) { return [k].concat(a.differ[k].map(function (v) { return v === '' ? '–' : v; })); })) : null,
        h('p', { class: 'faint' }, a.same + ' settings are the same' + (differ.length ? '.' : ' in all: none differs.'))]);
      if (inputs.length) { add(main, [h('h2', {}, 'Inputs that differ'), table('Inputs that differ', ['role'].concat(label), inputs.map(function (k) { return [k].concat(a.inputs[k]); }))]); }
      if (figures.length) {
        add(main, [h('h2', {}, 'Metrics'), table('Metrics', ['metric'].concat(label, names.length === 2 ? ['change'] : []), figures.map(function (f) {
          var v = a.figures[f], change = v[0] ? (v[1] / v[0] - 1) * 100 : NaN;
          return [metric(f)].concat(v.map(function (n) { return n === null ? '–' : n; }), names.length === 2 ? [isFinite(change) && v[1] !== null ? (change > 0 ? '+' : change < 0 ? '−' : '') + Math.abs(change).toFixed(1) + ' %' : '–'] : []);
        }))]);
      }
      if (Object.keys(a.tables).length) { distributions(names, label, a.tables); }
      if (names.length === 2) { add(main, [h('h2', {}, 'Comparison report'), h('p', {}, 'With errors by percentile and findings, if the requests are the same: ', h('a', { href: '#/ask/measured?' + query({ word: ['real.dir=tmp/' + names[0], 'sim.dir=tmp/' + names[1]] }) }, 'start it'), '.'), copy('./stage compare real.dir=tmp/' + names[0] + ' sim.dir=tmp/' + names[1])]); }
    }, fail);
  }
  function distributions(names, label, tables) {
    var all = Object.keys(tables), name = tables.request_metrics ? 'request_metrics' : all[0], column, x, pair = false, top = h('div', { class: 'row' }), cdf = h('div', {}), low = h('div', { class: 'row' }), dots = h('div', {});
    function pick() {
      var columns = tables[name];
      column = columns.indexOf('ttft_ns') >= 0 ? 'ttft_ns' : columns[columns.length > 1 ? 1 : 0];
      x = columns.indexOf('arrival_time_ns') >= 0 ? 'arrival_time_ns' : columns[0];
      controls();
    }
    function controls() {
      top.textContent = ''; low.textContent = '';
      add(top, [select('table ', all, name, function (v) { name = v; pick(); }), select('column ', tables[name], column, function (v) { column = v; controls(); })]);
      var both = h('input', { type: 'checkbox', change: function () { pair = both.checked; scatter(); } });
      both.checked = pair;
      add(low, [select('across ', tables[name], x, function (v) { x = v; scatter(); }), names.length === 2 && tables[name].indexOf('request_id') >= 0 && h('label', { class: 'field' }, both, 'the same request in both runs')]);
      ask('distribution', { run: names, table: name, column: column }).then(function (a) {
        cdf.textContent = '';
        var u = unit(column);
        add(cdf, [chart('Share of rows up to a value', a.runs.map(function (r, i) { return { name: label[i], points: r.quantiles.map(function (v, j) { return [u.of(v), j / 2]; }) }; }), u.name, 'per cent', 'lines'),
          table('Percentiles of ' + u.name, [u.name, 'rows', 'mean', 'P50', 'P90', 'P99'], a.runs.map(function (r, i) { return [label[i], r.count].concat(r.count ? [r.mean, r.p50, r.p90, r.p99].map(u.of) : ['–', '–', '–', '–']); }))]);
      }, fail);
      scatter();
    }
    function scatter() {
      ask('scatter', { run: names, table: name, x: x, y: column, pair: pair && names.length === 2 ? '1' : '' }).then(function (a) {
        dots.textContent = '';
        var ux = unit(x), uy = unit(column);
        function scaled(points) { return points.map(function (p) { return [(pair ? uy : ux).of(p[0]), uy.of(p[1])]; }); }
        var counts = a.runs.map(function (r) { return r.points.length + ' of ' + r.count; }).join(', ');
        add(dots, [pair ? chart(uy.name + ', request by request', [{ name: 'requests in both', points: scaled(a.runs[0].points) }], label[0], label[1], 'points', true)
          : chart(uy.name + ' by ' + ux.name, a.runs.map(function (r, i) { return { name: label[i], points: scaled(r.points) }; }), ux.name, uy.name, 'points'), h('p', { class: 'faint' }, 'Rows drawn: ' + counts + '.')]);
      }, fail);
    }
    add(main, [h('h2', {}, 'Distribution'), top, cdf, h('h2', {}, 'Row by row'), low, dots]);
    pick();
  }

  /* ---- what was started here ---- */
  function jobs() {
    var box = h('div', {}), mine = turn;
    add(main, [h('h1', {}, 'Jobs'), box]);
    function load() {
      ask('jobs').then(function (all) {
        if (mine !== turn) { return; }
        box.textContent = '';
        add(box, all.length ? table('Commands', ['command', 'state', 'last change', 'results'], all.map(function (j) {
          return [h('a', { href: '#/job/' + j.id }, j.command), j.state, time(j.noted), results(j)];
        })) : h('p', {}, 'Nothing was started from this page yet.'));
        if (all.some(function (j) { return j.running; })) { later(2000, load); }
      }, fail);
    }
    load();
  }
  function results(j) {
    return j.results.filter(function (r) { return /tmp\/[^\/]+\/[^\/]+$/.test(r); }).slice(0, 20).map(function (r) {
      var name = r.split('/').slice(-2).join('/');
      return h('span', {}, name.indexOf('sweeps/') === 0 ? h('a', { href: '#/sweep/' + name.slice(7) }, name.slice(7)) : link(name), ' ');
    });
  }
  function job(of, parts) {
    var next = 0, mine = turn, log = h('pre', { class: 'log', tabindex: 0, 'aria-label': 'Log' }), top = h('div', {}), was = null, seen = false, begun = 0;
    var bar = h('progress', { 'aria-label': 'The command is running', hidden: true }), elapsed = h('span', {});
    add(main, [h('h1', {}, 'Job ' + parts[0]), top, h('div', { class: 'row' }, bar, elapsed), h('h2', {}, 'Log'), log]);
    function load() {
      ask('job', { id: parts[0], from: next }).then(function (j) {
        if (mine !== turn) { return; }
        var state = j.state + j.results.length, found = j.results.filter(function (r) { return /tmp\/[^\/]+\/[^\/]+$/.test(r); });
        if (seen && j.state === 'done' && found.length === 1) { open1(found[0]); return; }
        seen = seen || j.running; begun = Date.parse(j.noted);
        bar.hidden = !j.running; elapsed.textContent = j.running ? 'Running for ' + Math.max(0, Math.round((Date.now() - begun) / 1000)) + ' s' + (/ -m /.test(j.command) ? '.' : '; the result opens at the end.') : '';
        if (state !== was) {
          was = state; top.textContent = '';
          add(top, [copy(j.command), h('div', { class: 'row' }, h('strong', { role: 'status' }, j.state), j.running ? h('button', { type: 'button', click: function () { does('stop'); } }, 'Stop') : h('button', { type: 'button', click: function () { does('again'); } }, j.state === 'done' ? 'Run again' : 'Resume')), h('p', {}, results(j)),
            found.length > 1 && found.length <= 12 ? h('p', {}, h('a', { href: '#/compare?' + query({ run: found.map(function (r) { return r.split('/').slice(-2).join('/'); }) }) }, 'Compare the results')) : null, / -m /.test(j.command) ? h('p', {}, h('a', { href: '#/sweeps' }, 'All sweeps')) : null]);
        }
        var end = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
        log.append(j.log); next = j.next;
        if (end) { log.scrollTop = log.scrollHeight; }
        if (j.running) { later(1000, load); }
      }, fail);
    }
    function open1(path) {
      var name = path.split('/').slice(-2);
      history.replaceState(null, '', '#/' + (name[0] === 'sweeps' ? 'sweep/' + encodeURIComponent(name[1]) : 'run/' + name.map(encodeURIComponent).join('/')));
      open();
    }
    function does(name) { tell(name, { id: Number(parts[0]) }).then(function () { later(300, load); }, fail); }
    load();
  }

  /* ---- sweeps ---- */
  function progress(s) { return Object.keys(s.counts).map(function (k) { return s.counts[k] + ' ' + k; }).join(', ') || 'no jobs'; }
  function sweeps() {
    ask('sweeps').then(function (all) {
      add(main, [h('h1', {}, 'Sweeps'), all.length ? table('Sweeps', ['sweep', 'jobs', 'how far', 'asked for', 'last change'], all.map(function (s) {
        return [h('a', { href: '#/sweep/' + encodeURIComponent(s.id) }, s.id), s.jobs, progress(s), s.command || '–', time(s.ended)];
      })) : h('p', {}, 'No sweeps yet: ./stage vidur_sim -m model=llama3_8b hardware=h100 arrival.qps=1,2,4 makes one.')]);
    }, fail);
  }
  function sweep(of, parts) {
    var mine = turn, far = h('p', { class: 'lead', role: 'status' }), bar = h('progress', { max: 1, value: 0, 'aria-label': 'jobs that have ended' }), shares = h('div', {}), was = '';
    var frame = h('iframe', { title: 'Jobs of ' + parts[0] }), src = '/sweep/' + encodeURIComponent(parts[0]);
    add(main, [h('h1', {}, parts[0]), far, bar]);
    function load(first) {
      ask('sweep', { id: parts[0] }).then(function (s) {
        if (mine !== turn) { return; }
        far.textContent = s.jobs + ' jobs: ' + progress(s);
        bar.value = (s.jobs - (s.counts.pending || 0)) / (s.jobs || 1);
        if (first) {
          add(main, [s.command && copy(s.command), h('div', { class: 'row' }, s.report && h('a', { href: '/files/sweeps/' + encodeURIComponent(parts[0]) + '/report.html', target: '_blank', rel: 'noopener' }, 'Open the report'),
            h('a', { href: src, target: '_blank', rel: 'noopener' }, 'Open the charts alone'), h('button', { type: 'button', click: function () { frame.src = src; } }, 'Draw again')),
            h('h2', {}, 'Which key matters'), shares, h('h2', {}, 'Jobs'), h('p', { class: 'faint' }, 'Scatter with the Pareto front, parallel coordinates, heat map and all jobs, as far as they have ended.'), frame]);
          frame.src = src;
        }
        if (JSON.stringify(s.shares) !== was) { was = JSON.stringify(s.shares); explain(s); }
        if (s.open) { later(2000, function () { load(false); }); }
      }, fail);
    }
    function explain(s) {
      var figures = Object.keys(s.shares).filter(function (f) { return s.shares[f].some(function (v) { return v !== null; }); });
      shares.textContent = '';
      if (!s.keys.length || !figures.length) { add(shares, h('p', {}, 'Nothing differs between the jobs that have ended.')); return; }
      add(shares, [table('Share of variance by key', ['figure'].concat(s.keys), figures.map(function (f) {
        return [f].concat(s.shares[f].map(function (v) { return v === null ? '–' : (v * 100).toFixed(0) + ' %'; }));
      })), h('p', { class: 'faint' }, 'Share of the variance of a figure that lies between the means of a key’s values, each key by itself. What is missing to 100 % is in their interplay; where not all combinations were run, shares may overlap.')]);
    }
    load(true);
  }

  /* ---- views by address ---- */
  var views = { runs: runs, run: run, compare: compare, jobs: jobs, job: job, sweeps: sweeps, sweep: sweep };
  window.studio = { h: h, add: add, say: say, query: query, ask: ask, tell: tell, answer: answer, fail: fail, main: main, go: go, later: later, copy: copy, table: table, metric: metric, titles: titles, views: views };
  function open() {
    var hash = location.hash.slice(2) || 'runs', at = hash.indexOf('?'), parts = (at < 0 ? hash : hash.slice(0, at)).split('/').map(decodeURIComponent);
    turn++; clearTimeout(timer); say(''); keys = {};
    main.textContent = '';
    document.querySelectorAll('.bar nav a').forEach(function (a) {
      if (a.getAttribute('href') === '#/' + ({ ask: 'new', run: 'runs', job: 'jobs', sweep: 'sweeps' }[parts[0]] || parts[0])) { a.setAttribute('aria-current', 'page'); } else { a.removeAttribute('aria-current'); }
    });
    (views[parts[0]] || runs)(new URLSearchParams(at < 0 ? '' : hash.slice(at + 1)), parts.slice(1));
    document.title = (parts[parts.length - 1] || 'runs') + ' – Stagesim studio';
    if (turn > 1) { main.focus({ preventScroll: true }); window.scrollTo(0, 0); }
  }
  var help = document.getElementById('help');
  document.getElementById('keys').addEventListener('click', function () { help.showModal(); });
  document.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || help.open) { return; }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target.type !== 'checkbox') { if (e.key === 'Escape') { e.target.blur(); } return; }
    if (e.key === 'Enter' && /^(A|BUTTON|SUMMARY)$/.test(e.target.tagName)) { return; }
    var does = e.key === '?' ? function () { help.showModal(); } : e.key === 'g' ? function () { go('runs'); } : keys[e.key];
    if (does) { e.preventDefault(); does(); }
  });
  window.addEventListener('hashchange', open);
  window.addEventListener('DOMContentLoaded', open);
  if (document.readyState !== 'loading') { open(); }
}());
