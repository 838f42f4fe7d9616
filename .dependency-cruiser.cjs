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
    { name: 'no-orphan-module', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...rows.map(folderRule),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}
