'use strict';
(function () {
  var root = document.querySelector('.explore-table');
  var data = JSON.parse(document.getElementById('explore-data').textContent);
  var keys = [], figures = [], pareto = data.columns.findIndex(function (c) { return c.kind === 'front'; }), shown = data.rows.slice();
  data.columns.forEach(function (c, i) { (c.kind === 'key' ? keys : c.kind === 'figure' ? figures : []).push(i); });
  function el(name, attributes, text) {
    var svg = ['svg', 'g', 'path', 'line', 'text', 'circle', 'rect', 'title', 'polyline'].indexOf(name) >= 0;
    var e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    Object.keys(attributes || {}).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (text !== undefined) { e.textContent = text; }
    return e;
  }
  function number(v) { return v !== '' && v !== null && isFinite(Number(v)); }
  function words(v) { return number(v) && typeof v === 'number' ? String(Number(v.toPrecision(5))) : String(v); }
  function least(i) { return data.columns[i].least; }
  function label(row) { return '#' + row[0] + '  ' + keys.map(function (i) { return data.columns[i].name + '=' + row[i]; }).join('  '); }

  /* figures that have a value in some row and are not all the same */
  figures = figures.filter(function (i) { return data.rows.some(function (r) { return number(r[i]); }); });
  var varied = figures.filter(function (i) {
    var seen = {}; data.rows.forEach(function (r) { seen[r[i]] = 1; }); return Object.keys(seen).length > 1;
  });

  /* the table: sort by a heading, filter by words and comparisons */
  var table = root.querySelector('table'), body = table.tBodies[0], trs = Array.prototype.slice.call(body.rows);
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, i) {
    var button = el('button', { type: 'button' }, th.textContent);
    th.textContent = ''; th.appendChild(button);
    button.addEventListener('click', function () {
      var down = th.getAttribute('aria-sort') === 'ascending';
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute('aria-sort'); });
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      trs.sort(function (a, b) {
        var x = data.rows[a.dataset.row][i], y = data.rows[b.dataset.row][i];
        if (number(x) !== number(y)) { return number(x) ? -1 : 1; }
        var order = number(x) ? Number(x) - Number(y) : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
        return (down ? -order : order) || a.dataset.row - b.dataset.row;
      });
      trs.forEach(function (tr) { body.appendChild(tr); });
    });
  });
  trs.forEach(function (tr, i) {
    tr.dataset.row = i;
    Array.prototype.forEach.call(tr.cells, function (cell) { if (cell.textContent.length > 40) { cell.className += ' long'; } });
  });
  function matches(row, term) {
    var m = /^([^<>=!]+)(<=|>=|!=|<|>|=)(.+)$/.exec(term);
    if (!m) { return row.some(function (v) { return String(v).toLowerCase().indexOf(term.toLowerCase()) >= 0; }); }
    return data.columns.some(function (c, i) {
      if (c.name.indexOf(m[1]) < 0) { return false; }
      var v = row[i], w = m[3];
      if (number(v) && number(w)) {
        v = Number(v); w = Number(w);
        return m[2] === '<' ? v < w : m[2] === '<=' ? v <= w : m[2] === '>' ? v > w : m[2] === '>=' ? v >= w : m[2] === '=' ? v === w : v !== w;
      }
      return m[2] === '=' ? String(v) === w : m[2] === '!=' ? String(v) !== w : false;
    });
  }
  var filter = document.getElementById('explore-filter'), count = document.getElementById('explore-count');
  function apply() {
    var terms = filter.value.split(/\s+/).filter(Boolean);
    shown = data.rows.filter(function (row) { return terms.every(function (t) { return matches(row, t); }); });
    var kept = new Set(shown);
    trs.forEach(function (tr) { tr.hidden = !kept.has(data.rows[tr.dataset.row]); });
    count.textContent = shown.length + ' of ' + data.rows.length;
    draw();
  }
  filter.addEventListener('input', apply);

  function choice(id, of, picked) {
    var select = document.getElementById(id);
    if (!select) { return { value: picked }; }
    of.forEach(function (i) { select.appendChild(el('option', { value: i }, data.columns[i].name)); });
    if (picked !== undefined && picked >= 0) { select.value = picked; }
    select.addEventListener('change', draw);
    return select;
  }
  function named(pattern, fallback) {
    var found = varied.filter(function (i) { return pattern.test(data.columns[i].name); });
    return found.length ? found[0] : fallback;
  }
  var pool = varied.length ? varied : figures;
  var first = named(/throughput_tokens/, named(/throughput/, pool[0]));
  var x = choice('explore-x', pool, first);
  var y = choice('explore-y', pool, named(/ttft_p99|p99/, pool[pool.length > 1 ? 1 : 0]));
  var row = choice('explore-row', keys, keys[0]), col = choice('explore-col', keys, keys[keys.length > 1 ? 1 : 0]);
  var metric = choice('explore-metric', pool, named(/ttft_p99|p99/, pool[0]));
  var heat = choice('explore-heat', pool, named(/ttft_p99|p99/, pool[0]));

  function front(i, j) {
    var sx = least(i) ? 1 : -1, sy = least(j) ? 1 : -1;
    var have = shown.filter(function (r) { return number(r[i]) && number(r[j]); });
    return have.filter(function (r) {
      return !have.some(function (o) {
        return sx * o[i] <= sx * r[i] && sy * o[j] <= sy * r[j] && (sx * o[i] < sx * r[i] || sy * o[j] < sy * r[j]);
      });
    });
  }
  function scale(values, from, to, room) {
    var low = values.reduce(function (a, b) { return Math.min(a, b); }), high = values.reduce(function (a, b) { return Math.max(a, b); });
    if (low === high) { low -= Math.abs(low) * 0.05 || 0.5; high += Math.abs(high) * 0.05 || 0.5; }
    var log = low > 0 && high / low > 50;
    if (room && log) { var wider = Math.pow(high / low, 0.03); low /= wider; high *= wider; }
    if (room && !log) { var more = (high - low) * 0.03; low = low >= 0 ? Math.max(0, low - more) : low - more; high += more; }
    var f = function (v) { return from + (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) * (to - from); };
    f.low = low; f.high = high;
    f.ticks = log ? decades(low, high) : steps(low, high);
    return f;
  }
  /* round numbers within a range: 1, 2, 5 times a power of ten, or multiples of one of these */
  function steps(low, high) {
    var raw = (high - low) / 5, ten = Math.pow(10, Math.floor(Math.log10(raw))), ticks = [];
    var step = [1, 2, 5, 10].map(function (m) { return m * ten; }).find(function (m) { return m >= raw; });
    for (var k = Math.ceil(low / step); k * step <= high; k++) { ticks.push(Number((k * step).toPrecision(12))); }
    return ticks;
  }
  function decades(low, high) {
    var ticks = [];
    for (var e = Math.floor(Math.log10(low)); Math.pow(10, e) <= high; e++) {
      [1, 2, 5].forEach(function (m) { var v = Number((m * Math.pow(10, e)).toPrecision(12)); if (v >= low && v <= high) { ticks.push(v); } });
    }
    return ticks.length <= 8 ? ticks : ticks.filter(function (v) { return String(v / Math.pow(10, Math.floor(Math.log10(v * 1.0001))))[0] === '1'; });
  }
  /* as wide as the screen, or as what is in it needs: then it scrolls */
  var W = Math.max(320, Math.min(960, document.documentElement.clientWidth - 36));
  function svg(id, width, height, title) {
    var holder = document.getElementById(id); holder.textContent = '';
    var plot = el('svg', { viewBox: '0 0 ' + width + ' ' + height, 'class': 'plot', role: 'img', 'aria-label': title });
    if (width > W) { plot.style.minWidth = width + 'px'; }
    holder.appendChild(plot); return plot;
  }
  function note(plot, text) { plot.appendChild(el('text', { x: 20, y: 40 }, text)); }

  function scatter(best) {
    var i = Number(x.value), j = Number(y.value), plot = svg('explore-scatter', W, 420, 'Scatter plot');
    var rows = shown.filter(function (r) { return number(r[i]) && number(r[j]); });
    if (!rows.length) { return note(plot, 'no job has both figures'); }
    var sx = scale(rows.map(function (r) { return Number(r[i]); }), 90, W - 30, true), sy = scale(rows.map(function (r) { return Number(r[j]); }), 360, 20, true);
    sy.ticks.forEach(function (v) {
      plot.appendChild(el('line', { x1: 90, x2: W - 30, y1: sy(v), y2: sy(v), 'class': 'grid' }));
      plot.appendChild(el('text', { x: 82, y: sy(v) + 4, 'text-anchor': 'end' }, v.toLocaleString('en-US')));
    });
    sx.ticks.forEach(function (v) {
      plot.appendChild(el('line', { x1: sx(v), x2: sx(v), y1: 20, y2: 360, 'class': 'grid' }));
      plot.appendChild(el('text', { x: sx(v), y: 382, 'text-anchor': 'middle' }, v.toLocaleString('en-US')));
    });
    plot.appendChild(el('text', { x: 30 + W / 2, y: 408, 'text-anchor': 'middle', 'class': 'name' }, data.columns[i].name));
    plot.appendChild(el('text', { x: 90, y: 12, 'class': 'name' }, data.columns[j].name));
    var edge = rows.filter(function (r) { return best.has(r); }).sort(function (a, b) { return a[i] - b[i]; });
    plot.appendChild(el('polyline', { 'class': 'edge', points: edge.map(function (r) { return sx(r[i]) + ',' + sy(r[j]); }).join(' ') }));
    rows.forEach(function (r) {
      var c = el('circle', { cx: sx(r[i]), cy: sy(r[j]), r: best.has(r) ? 6 : 4, 'class': best.has(r) ? 'front' : '' });
      c.appendChild(el('title', {}, label(r) + '\n' + data.columns[i].name + ' ' + words(r[i]) + '\n' + data.columns[j].name + ' ' + words(r[j])));
      plot.appendChild(c);
    });
  }

  /* one swept key: points of all jobs, and a line through the mean of each value */
  function line() {
    var k = keys[0], f = Number(metric.value), plot = svg('explore-line', W, 420, 'Line chart'), means = {};
    var rows = shown.filter(function (r) { return number(r[f]); });
    if (!rows.length) { return note(plot, 'no job has the figure'); }
    var numeric = rows.every(function (r) { return number(r[k]); }), names = Array.from(new Set(rows.map(function (r) { return String(r[k]); })));
    if (numeric) { names.sort(function (p, q) { return p - q; }); }
    var sx = numeric ? scale(names.map(Number), 90, W - 30, true) : function (v) { return 90 + (names.indexOf(String(v)) + 0.5) * (W - 120) / names.length; };
    var sy = scale(rows.map(function (r) { return Number(r[f]); }), 360, 20, true);
    sy.ticks.forEach(function (v) {
      plot.appendChild(el('line', { x1: 90, x2: W - 30, y1: sy(v), y2: sy(v), 'class': 'grid' }));
      plot.appendChild(el('text', { x: 82, y: sy(v) + 4, 'text-anchor': 'end' }, v.toLocaleString('en-US')));
    });
    (numeric ? sx.ticks : names).forEach(function (v, m) {
      if (numeric || m % Math.ceil(names.length / 8) === 0) { plot.appendChild(el('text', { x: sx(v), y: 382, 'text-anchor': 'middle' }, numeric ? v.toLocaleString('en-US') : v || 'none')); }
    });
    plot.appendChild(el('text', { x: 30 + W / 2, y: 408, 'text-anchor': 'middle', 'class': 'name' }, data.columns[k].name));
    plot.appendChild(el('text', { x: 90, y: 12, 'class': 'name' }, data.columns[f].name));
    rows.forEach(function (r) { (means[r[k]] = means[r[k]] || []).push(Number(r[f])); });
    plot.appendChild(el('polyline', { 'class': 'one', points: names.map(function (n) {
      return sx(n) + ',' + sy(means[n].reduce(function (s, v) { return s + v; }, 0) / means[n].length);
    }).join(' ') }));
    rows.forEach(function (r) {
      var c = el('circle', { cx: sx(r[k]), cy: sy(r[f]), r: 4 });
      c.appendChild(el('title', {}, label(r) + '\n' + data.columns[f].name + ' ' + words(r[f]))); plot.appendChild(c);
    });
  }

  function parallel(best) {
    var axes = keys.slice(0, 6).concat([Number(x.value), Number(y.value)].filter(function (v, k, all) { return all.indexOf(v) === k; }));
    var letters = Math.max.apply(null, axes.map(function (a) { return data.columns[a].name.replace(/^.*\./, '').length; }));
    var wide = Math.max(W, axes.length * Math.max(80, 8 * letters)), plot = svg('explore-parallel', wide, 350, 'Parallel coordinates'), step = axes.length > 1 ? (wide - 140) / (axes.length - 1) : 0, scales = [], labels = [];
    if (!shown.length) { return note(plot, 'no job is left'); }
    axes.forEach(function (a, k) {
      var values = shown.map(function (r) { return r[a]; }), at = 70 + k * step, f;
      if (values.every(number)) {
        f = scale(values.map(Number), 320, 50);
        plot.appendChild(el('text', { x: at, y: 340, 'text-anchor': 'middle' }, words(f.low)));
        plot.appendChild(el('text', { x: at, y: 42, 'text-anchor': 'middle' }, words(f.high)));
      } else {
        var names = Array.from(new Set(values.map(String))).sort();
        f = function (v) { return names.length < 2 ? 185 : 320 - names.indexOf(String(v)) * 270 / (names.length - 1); };
        if (names.length <= 16) { names.forEach(function (n) { labels.push(el('text', { x: at + 6, y: f(n) - 5, 'class': 'over' }, n || 'none')); }); }
      }
      scales.push(f);
      plot.appendChild(el('line', { x1: at, x2: at, y1: 50, y2: 320, 'class': 'axis' }));
      plot.appendChild(el('text', { x: at, y: 20, 'text-anchor': k === 0 ? 'start' : k === axes.length - 1 ? 'end' : 'middle', 'class': 'name' }, data.columns[a].name.replace(/^.*\./, '')));
    });
    shown.slice().sort(function (a, b) { return best.has(a) - best.has(b); }).forEach(function (r) {
      if (!axes.every(function (a) { return r[a] !== '' || keys.indexOf(a) >= 0; })) { return; }
      var line = el('polyline', { 'class': best.has(r) ? 'one front' : 'one', points: axes.map(function (a, k) { return (70 + k * step) + ',' + scales[k](r[a]); }).join(' ') });
      line.appendChild(el('title', {}, label(r))); plot.appendChild(line);
    });
    labels.forEach(function (l) { plot.appendChild(l); });
  }

  function heatmap() {
    var a = Number(row.value), b = Number(col.value), f = Number(heat.value), cells = {};
    var rows = Array.from(new Set(shown.map(function (r) { return String(r[a]); }))), cols = Array.from(new Set(shown.map(function (r) { return String(r[b]); })));
    var order = function (p, q) { return number(p) && number(q) ? p - q : p < q ? -1 : 1; };
    rows.sort(order); cols.sort(order);
    shown.forEach(function (r) { if (number(r[f])) { (cells[r[a] + '\u0000' + r[b]] = cells[r[a] + '\u0000' + r[b]] || []).push(Number(r[f])); } });
    var h = Math.max(22, Math.min(44, 360 / rows.length)), wide = Math.max(W, 160 + 40 * Math.min(16, cols.length)), plot = svg('explore-heatmap', wide, 60 + h * rows.length, 'Heat map'), w = (wide - 160) / cols.length;
    var means = Object.keys(cells).map(function (k) { return cells[k].reduce(function (s, v) { return s + v; }, 0) / cells[k].length; });
    if (!means.length) { return note(plot, 'no job has the figure'); }
    var s = scale(means, 0, 1);
    cols.forEach(function (c, k) { if (cols.length <= 16 || k % Math.ceil(cols.length / 16) === 0) { plot.appendChild(el('text', { x: 150 + (k + 0.5) * w, y: 18, 'text-anchor': 'middle' }, c || 'none')); } });
    rows.forEach(function (r, k) {
      plot.appendChild(el('text', { x: 140, y: 32 + (k + 0.6) * h, 'text-anchor': 'end' }, r || 'none'));
      cols.forEach(function (c, m) {
        var all = cells[r + '\u0000' + c]; if (!all) { return; }
        var mean = all.reduce(function (p, v) { return p + v; }, 0) / all.length, bad = least(f) ? s(mean) : 1 - s(mean);
        var rect = el('rect', { x: 150 + m * w, y: 28 + k * h, width: w, height: h, 'class': 'cell', fill: 'var(--s1)', 'fill-opacity': (0.06 + 0.44 * bad).toFixed(3) });
        rect.appendChild(el('title', {}, data.columns[a].name + '=' + r + '  ' + data.columns[b].name + '=' + c + '\n' + data.columns[f].name + ' ' + words(mean) + ' (mean of ' + all.length + ')'));
        plot.appendChild(rect);
        if (w >= 52) { plot.appendChild(el('text', { x: 150 + (m + 0.5) * w, y: 32 + (k + 0.6) * h, 'class': 'cell-text' }, words(Number(mean.toPrecision(4))))); }
      });
    });
  }

  function draw() {
    var best = new Set(pool.length ? front(Number(x.value), Number(y.value)) : []);
    trs.forEach(function (tr) {
      var r = data.rows[tr.dataset.row];
      tr.className = best.has(r) ? 'front' : '';
      r[pareto] = tr.cells[pareto].textContent = best.has(r) ? 'yes' : '';
    });
    if (!pool.length) { return; }
    scatter(best);
    [['line', line], ['parallel', parallel], ['heatmap', heatmap]].forEach(function (chart) {
      if (document.getElementById('explore-' + chart[0])) { chart[1](best); }
    });
    var list = document.getElementById('explore-front'); list.textContent = '';
    Array.from(best).sort(function (p, q) { return p[Number(x.value)] - q[Number(x.value)]; }).slice(0, 40).forEach(function (r) {
      list.appendChild(el('li', {}, label(r) + ':  ' + data.columns[x.value].name + ' ' + words(r[x.value]) + ', ' + data.columns[y.value].name + ' ' + words(r[y.value])));
    });
  }
  apply();
}());
