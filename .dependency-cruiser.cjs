// No cycles, and the import table of ARCHITECTURE.md as rules: which folder may import which.
const { readFileSync } = require('node:fs')
const path = require('node:path')

const architecture = readFileSync(path.join(__dirname, 'ARCHITECTURE.md'), 'utf8')
const rows = [...architecture.matchAll(/^\| `(\w+)` +\|[^|]*\| ([\w –]*?) *\|$/gm)]

const folderRule = ([, folder, allowed]) => {
  const folders = [folder, ...allowed.split(' ').filter((name) => name !== '–')]
  return {
    name: `imports-of-${folder}`,
    severity: 'error',
    comment: `src/${folder} may import only: ${folders.join(', ')}`,
    from: { path: `^src/${folder}/` },
    to: { path: '^src/', pathNot: `^src/(${folders.join('|')})/` },
  }
}

/** The folders of the browser application, and those that each may import. */
const consoleLayers = [
  ['lib', []],
  ['api', ['lib']],
  ['ui', ['lib']],
  ['editor', ['lib', 'api', 'ui']],
  ['views', ['lib', 'api', 'ui', 'editor']],
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'simulate-on-demand',
      severity: 'error',
      comment: 'what is simulated is loaded only where something is',
      from: { path: '^src/(?!simulate/)' },
      to: { path: '^src/simulate/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'console-on-demand',
      severity: 'error',
      comment: 'the console is loaded only where somebody opens it',
      from: { path: '^src/(?!console/)' },
      to: { path: '^src/console/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'console-apart',
      severity: 'error',
      comment: 'the application that browsers load and the server know each other by HTTP alone',
      from: { path: '^(src|console)/' },
      to: { path: '^(src|console)/', pathNot: '^$1/' },
    },
    ...consoleLayers.map(([layer, allowed]) => ({
      name: `console-imports-of-${layer}`,
      severity: 'error',
      comment: `console/src/${layer} may import only: ${[layer, ...allowed].join(', ')}; types from everywhere`,
      from: { path: `^console/src/${layer}/` },
      to: {
        path: '^console/src/',
        pathNot: `^console/src/(${[layer, ...allowed].join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    })),
    { name: 'no-orphan-module', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...rows.map(folderRule),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$|\\.(css|svg)$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
}
