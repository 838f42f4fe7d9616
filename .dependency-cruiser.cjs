// The import table of ARCHITECTURE.md as rules: which folder may import which.
const base = ['lib', 'api']
const all = [
  'lib',
  'api',
  'outbound',
  'store',
  'schema',
  'catalog',
  'cel',
  'codec',
  'patch',
  'cache',
  'registry',
  'resources',
  'extensions',
  'auth',
  'admission',
  'handlers',
  'pipeline',
  'http',
  'controllers',
  'config',
  'encryption',
]
const table = {
  lib: [],
  api: ['lib'],
  outbound: base,
  store: ['lib', 'outbound'],
  schema: base,
  catalog: [...base, 'schema'],
  cel: [...base, 'schema'],
  codec: [...base, 'schema', 'catalog'],
  patch: [...base, 'schema'],
  cache: [...base, 'codec', 'store'],
  registry: [...base, 'store', 'schema', 'catalog', 'cel', 'codec', 'patch', 'cache'],
  resources: [...base, 'schema', 'catalog', 'registry'],
  extensions: [...base, 'outbound', 'schema', 'catalog', 'registry', 'cel'],
  auth: [...base, 'outbound', 'cel'],
  admission: [...base, 'outbound', 'schema', 'cel'],
  handlers: all.filter(
    (folder) => !['store', 'resources', 'pipeline', 'http', 'controllers', 'config', 'encryption'].includes(folder),
  ),
  pipeline: [...base, 'auth'],
  http: [...base, 'codec', 'pipeline'],
  controllers: [...base, 'registry'],
  config: base,
  encryption: [...base, 'outbound', 'config'],
  simulate: [...base, 'schema', 'catalog', 'cel', 'codec', 'cache', 'registry', 'controllers', 'config'],
  server: [...all, 'simulate'],
  conformance: [...base, 'outbound'],
  cli: [...all, 'simulate', 'server', 'testing', 'conformance'],
  testing: [...all, 'simulate', 'server'],
}

const folderRule = ([folder, allowed]) => ({
  name: `imports-of-${folder}`,
  severity: 'error',
  comment: `src/${folder} may import only: ${[folder, ...allowed].join(', ')}`,
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
})

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-orphan-module', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(table).map(folderRule),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}
