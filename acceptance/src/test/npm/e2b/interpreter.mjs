// SPDX-License-Identifier: Apache-2.0
// The code interpreter, by its client: `node interpreter.mjs new TEMPLATE [PART OF A SENTENCE...]`.
import { Sandbox } from '@e2b/code-interpreter'
import { assert, create, fails, run, until } from './check.mjs'

const box = await create({ envs: { OF_SANDBOX: 'first' } }, Sandbox)
const text = async (code, options) => {
  const done = await box.runCode(code, options)
  assert.equal(done.error, undefined, done.error?.traceback)
  return done.text
}

await run({
  async 'code goes on from the code before'() {
    assert.equal(await text('x = 1; x'), '1')
    assert.equal(await text('x += 1; x'), '2')
    const done = await box.runCode("print('out'); import sys; print('err', file=sys.stderr); 'last'")
    assert.deepEqual([done.logs.stdout, done.logs.stderr, done.text], [['out\n'], ['err\n'], 'last'])
    assert.equal((await box.runCode('1')).executionCount, (await box.runCode('1')).executionCount - 1)
    assert.deepEqual((await box.runCode('!pwd')).logs.stdout.map(each => each.trim()), ['/home/user'])
  },

  async 'an error has its name, its words and where it was'() {
    const { error } = await box.runCode('def f():\n    return 1 / 0\nf()')
    assert.deepEqual([error.name, error.value], ['ZeroDivisionError', 'division by zero'])
    assert.match(error.traceback, /return 1 \/ 0/)
    assert.equal((await box.runCode('for')).error.name, 'SyntaxError')
    assert.equal(await text('6 * 7'), '42')
  },

  async 'output is told while it comes'() {
    const seen = []
    await box.runCode('import time\nfor i in range(3):\n    print(i, flush=True); time.sleep(0.3)\n7', { onStdout: each => seen.push(each.line.trim()), onResult: each => seen.push(each.text) })
    assert.deepEqual(seen, ['0', '1', '2', '7'])
  },

  async 'results are rich'() {
    const rich = await box.runCode(`
from IPython.display import display, HTML, Markdown, Latex, JSON, SVG, Javascript
for each in HTML('<b>h</b>'), Markdown('# m'), Latex('$l$'), JSON({'j': 1}), SVG('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), Javascript('1'):
    display(each)
{'a': [1, 2]}`)
    const [html, markdown, latex, json, svg, javascript, last] = rich.results
    assert.deepEqual([html.html, markdown.markdown, latex.latex, json.json, javascript.javascript], ['<b>h</b>', '# m', '$l$', { j: 1 }, '1'])
    assert.match(svg.svg, /<svg/)
    assert.deepEqual([last.isMainResult, last.json, last.text], [true, { a: [1, 2] }, "{'a': [1, 2]}"])
    const table = await box.runCode("import pandas as pd, numpy as np\npd.DataFrame({'a': [1, 2], 'b': [np.nan, 'x'], 't': pd.to_datetime(['2024-01-02', '2024-01-03'])})")
    assert.deepEqual(table.results[0].data, { a: [1, 2], b: [null, 'x'], t: ['2024-01-02T00:00:00', '2024-01-03T00:00:00'] })
    assert.match(table.results[0].html, /<table/)
  },

  async 'a plot is a picture and a chart'() {
    const plot = async code => (await box.runCode(`import matplotlib.pyplot as plt\nimport numpy as np\n${code}\nplt.show()`)).results[0]
    const line = await plot("plt.plot([0, 1, 2], [1, 4, 9], label='squares'); plt.xlabel('Time (s)'); plt.title('Growth')")
    assert.equal(Buffer.from(line.png, 'base64').subarray(1, 4).toString(), 'PNG')
    assert.deepEqual([line.chart.type, line.chart.title, line.chart.x_label, line.chart.x_unit, line.chart.x_scale], ['line', 'Growth', 'Time (s)', 's', 'linear'])
    assert.deepEqual(line.chart.elements, [{ label: 'squares', points: [[0, 1], [1, 4], [2, 9]] }])
    const days = await plot("import datetime\nplt.plot([datetime.date(2023, 9, 1), datetime.date(2023, 9, 3)], ['low', 'high'])")
    assert.deepEqual([days.chart.x_scale, days.chart.y_scale, days.chart.elements[0].points[0]], ['datetime', 'categorical', ['2023-09-01', 'low']])
    const bars = await plot("plt.bar(['A', 'B'], [100, 200], label='Sold')")
    assert.deepEqual(bars.chart.elements, [{ label: 'A', group: 'Sold', value: 100 }, { label: 'B', group: 'Sold', value: 200 }])
    const cloud = await plot("plt.scatter([1, 2], [3, 4], label='points')")
    assert.deepEqual([cloud.chart.type, cloud.chart.elements[0].points], ['scatter', [[1, 3], [2, 4]]])
    const pie = await plot("plt.pie([90, 10], labels=['No', 'Yes'])")
    assert.deepEqual(pie.chart.elements, [{ label: 'No', angle: 324, radius: 1 }, { label: 'Yes', angle: 36, radius: 1 }])
    const box_ = await plot("plt.boxplot([[85, 90, 78, 92, 88], [95, 89, 76, 91, 84, 87]], labels=['A', 'B'], patch_artist=True)")
    assert.equal(box_.chart.type, 'box_and_whisker')
    assert.deepEqual(box_.chart.elements[1], { label: 'B', min: 84, first_quartile: 84.75, median: 88, third_quartile: 90.5, max: 95, outliers: [76] })
    const both = await plot("fig, axs = plt.subplots(1, 2); fig.suptitle('Both'); axs[0].plot([1, 2]); axs[1].scatter([1], [1])")
    assert.deepEqual([both.chart.type, both.chart.title, both.chart.elements.map(each => each.type)], ['superchart', 'Both', ['line', 'scatter']])
  },

  async 'contexts know nothing of each other'() {
    const languages = (await box.listCodeContexts()).map(each => each.language)
    assert.ok(languages.includes('python') && languages.includes('javascript'))
    await box.runCode('mine = 1')
    const other = await box.createCodeContext({ cwd: '/tmp' })
    assert.deepEqual([other.language, other.cwd], ['python', '/tmp'])
    assert.equal((await box.runCode('mine', { context: other })).error.value, "name 'mine' is not defined")
    assert.equal(await text('import os; os.getcwd()', { context: other }), '/tmp')
    await box.runCode('kept = 1', { context: other })
    await box.restartCodeContext(other)
    assert.equal((await box.runCode('kept', { context: other })).error.name, 'NameError')
    await box.removeCodeContext(other)
    assert.ok(!(await box.listCodeContexts()).some(each => each.id === other.id))
    await assert.rejects(() => box.runCode('1', { context: other }))
  },

  async 'variables are of the sandbox, or of one execution'() {
    for (const [language, code] of [['python', "import os; os.getenv('OF_SANDBOX')"], ['javascript', 'process.env.OF_SANDBOX']]) {
      assert.equal(await text(code, { language }), 'first')
      assert.equal(await text(code, { language, envs: { OF_SANDBOX: "se'cond" } }), "se'cond")
      assert.equal(await text(code, { language }), 'first')
    }
    const shell = async options => (await box.runCode('echo $OF_SANDBOX', { language: 'bash', ...options })).logs.stdout
    assert.deepEqual([await shell(), await shell({ envs: { OF_SANDBOX: "se'cond" } }), await shell()], [['first\n'], ["se'cond\n"], ['first\n']])
  },

  async 'JavaScript, TypeScript and bash go on too'() {
    assert.deepEqual((await box.runCode('console.log("Hello"); const n = 1', { language: 'js' })).logs.stdout, ['Hello\n'])
    assert.equal(await text('n + 1', { language: 'js' }), '2')
    assert.equal(await text("await Promise.resolve('later')", { language: 'js' }), 'later')
    assert.deepEqual((await box.runCode("import { readFileSync } from 'fs'\nconsole.log(typeof readFileSync)", { language: 'js' })).logs.stdout, ['function\n'])
    const { error } = await box.runCode('throw new TypeError("no")', { language: 'js' })
    assert.deepEqual([error.name, error.value], ['TypeError', 'no'])
    assert.deepEqual((await box.runCode('const m: string = "typed"; console.log(m)', { language: 'ts' })).logs.stdout, ['typed\n'])
    assert.equal(await text('process.cwd()', { language: 'ts' }), '/home/user')
    await box.runCode('cd /tmp; y=7; f() { echo "<$y>"; }', { language: 'bash' })
    const shell = await box.runCode('f; pwd; ls /nowhere; (exit 3)', { language: 'bash' })
    assert.deepEqual([shell.logs.stdout.join(''), shell.error.value], ['<7>\n/tmp\n', '3'])
    assert.match(shell.logs.stderr.join(''), /nowhere/)
    await assert.rejects(() => box.runCode('1', { language: 'cobol' }), /cobol/)
  },

  async 'code whose client left is interrupted'() {
    await fails('TimeoutError', () => box.runCode('import time; time.sleep(300)', { timeoutMs: 2000 }))
    assert.equal(await text('1 + 1', { timeoutMs: 60_000 }), '2')
    await fails('TimeoutError', () => box.runCode('while (true) {}', { language: 'js', timeoutMs: 2000 }))
    assert.equal(await text('1 + 1', { language: 'js', timeoutMs: 60_000 }), '2')
  },

  async 'a kernel that dies is another one next'() {
    assert.ok((await box.runCode('import os; os._exit(1)', { timeoutMs: 60_000 })).error)
    assert.equal(await text('40 + 2', { timeoutMs: 60_000 }), '42')
  },
})
