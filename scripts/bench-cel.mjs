// Measures the expression engine: evaluations a second with cost counting, compilation, and how long an expression that
// runs into the per-expression limit holds the thread. Times are those of the processor, so that what else the machine
// does hardly counts. `npm run bench:cel [-- --json]`; with `--hostile [text]` only how long each of the expressions of
// hostile-expressions.mjs (whose data or text has that in it) holds the thread, the slowest first.
import { integer, object, text } from './bench-schema.mjs'
import { loadSources } from './load-sources.mjs'

const asJson = process.argv.includes('--json')

const loadEngine = () =>
  loadSources(`
    export { storedExpressions } from './src/cel/environment.ts'
    export { admissionEnvironment, validationRuleEnvironment } from './src/cel/environments.ts'
    export { DeclaredType } from './src/cel/declared-type.ts'
    export { estimateProgramCost, sizesBelow } from './src/cel/program.ts'`)

const engine = await loadEngine()

const hostile = process.argv.indexOf('--hostile')
if (hostile >= 0) {
  const { measureHostile } = await import('./hostile-expressions.mjs')
  measureHostile(engine, process.argv[hostile + 1] ?? '')
  process.exit()
}

const schema = object({
  metadata: object({ name: text }),
  spec: object({
    replicas: integer,
    maxReplicas: integer,
    text,
    items: { kind: 'list', items: object({ name: text, port: integer }), topology: 'atomic', keys: [] },
    numbers: { kind: 'list', items: integer, topology: 'atomic', keys: [] },
  }),
})
const declared = new engine.DeclaredType(schema, { name: 'selfType' })
const environment = engine.validationRuleEnvironment(engine.storedExpressions(), declared)
const self = {
  metadata: { name: 'abc' },
  spec: {
    replicas: 3,
    maxReplicas: 5,
    text: 'a'.repeat(3_000_000),
    items: Array.from({ length: 1000 }, (_, i) => ({ name: `item-${i}`, port: 1000 + i })),
    numbers: Array.from({ length: 1000 }, (_, i) => i),
  },
}

function compile(expression) {
  const compiled = environment.compile(expression)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.program
}

/** Milliseconds that the processor has worked for this process. */
function processorTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs for about a second after warming up; the best of three. */
function perSecond(run) {
  for (const start = processorTime(); processorTime() - start < 300; ) for (let i = 0; i < 100; i++) run()
  let best = 0
  for (let round = 0; round < 3; round++) {
    let count = 0
    const start = processorTime()
    while (processorTime() - start < 300) for (let i = 0; i < 100; i++, count++) run()
    best = Math.max(best, (count * 1000) / (processorTime() - start))
  }
  return Math.round(best)
}

const results = {}
const rule = "self.spec.replicas <= self.spec.maxReplicas && self.metadata.name.startsWith('a')"
const expressions = {
  'comparison and prefix': rule,
  'all over 1,000 objects': 'self.spec.items.all(x, x.port > 0)',
  'all over 1,000 integers': 'self.spec.numbers.all(x, x >= 0)',
  'filter and map over 1,000 objects': 'self.spec.items.filter(x, x.port > 1500).map(x, x.name).size() > 0',
  'matches a short text': "self.metadata.name.matches('^[a-z]+$')",
}
for (const [name, expression] of Object.entries(expressions)) {
  const program = compile(expression)
  results[`${name}, evaluations/s`] = perSecond(() => program.evaluate({ self }))
}
results['compile, µs'] = Math.round(1e6 / perSecond(() => compile(rule)))
const program = compile('self.spec.items.all(x, x.port > 0)')
results['estimate, µs'] = Math.round(
  1e6 / perSecond(() => engine.estimateProgramCost(program, engine.sizesBelow(declared))),
)

/** Expressions that go on until the limit stops them. */
const endless = {
  'nested loops': 'self.spec.items.all(x, self.spec.items.all(y, x.port >= y.port || x.port < y.port))',
  'nested loops of text': "self.spec.items.all(x, self.spec.items.all(y, x.name.contains('z') || y.name != ''))",
  'growing lists': 'self.spec.items.map(x, self.spec.items.map(y, y.name)).size() > 0',
  'pattern over long text': "self.spec.numbers.all(n, self.spec.text.matches('[a-z]*b'))",
  'class over long text': "self.spec.numbers.all(n, self.spec.text.matches('^[a-z]*$'))",
  'splitting long text': "self.spec.numbers.all(n, self.spec.text.split('').size() > 0)",
  'adding long text': 'self.spec.numbers.all(n, (self.spec.text + self.spec.text).size() > 0)',
}
for (const [name, expression] of Object.entries(endless)) {
  const looping = compile(expression)
  looping.evaluate({ self })
  const start = processorTime()
  const { cost, kind } = looping.evaluate({ self })
  results[`limit: ${name}, ms`] = Math.round((processorTime() - start) * 10) / 10
  if (kind !== 'error' && !asJson) process.stdout.write(`(${name} ended by itself at a cost of ${cost})\n`)
}

if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`)
else
  for (const [name, value] of Object.entries(results))
    process.stdout.write(`${name.padEnd(52)} ${value.toLocaleString('en-US')}\n`)
