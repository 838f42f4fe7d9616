import { build, type Metafile } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'

/** The sources that are loaded with a module: those of its chunk, and of the chunks that it imports at once. */
function loadedWith({ outputs }: Metafile, entry: string): string[] {
  const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? ['']
  const chunks = new Set([first])
  for (const chunk of chunks) {
    for (const { path, kind } of outputs[chunk]?.imports ?? []) if (kind === 'import-statement') chunks.add(path)
  }
  return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}))
}

const entries = ['src/server/server.ts', 'src/testing/testing.ts', 'src/cli/main.ts', 'src/simulate/simulation.ts']
let metafile: Metafile

beforeAll(async () => {
  const built = await build({
    entryPoints: entries,
    outdir: 'none',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  metafile = built.metafile
})

const loaded = (entry: string, folder: string): string[] =>
  loadedWith(metafile, entry).filter((source) => source.startsWith(folder))

it('loads nothing that is simulated before something is', () => {
  expect(loadedWith(metafile, 'src/server/server.ts').length).toBeGreaterThan(100)
  expect(loaded('src/server/server.ts', 'src/simulate/')).toEqual([])
  expect(loaded('src/testing/testing.ts', 'src/simulate/')).toEqual([])
  // Each controller only where it is on.
  const controllers = loaded('src/simulate/simulation.ts', 'src/simulate/')
  expect(controllers.filter((source) => /\/(job|deployment)\/\w+\.ts$/.test(source))).toEqual([])
})

it('loads nothing of the console before somebody opens it', () => {
  for (const entry of entries) expect(loaded(entry, 'src/console/')).toEqual([])
})
