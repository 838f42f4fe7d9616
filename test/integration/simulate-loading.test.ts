import { build, type Metafile } from 'esbuild'
import { expect, it } from 'vitest'

/** The sources that are loaded with a module: those of its chunk, and of the chunks that it imports at once. */
function loadedWith({ outputs }: Metafile, entry: string): string[] {
  const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? ['']
  const chunks = new Set([first])
  for (const chunk of chunks) {
    for (const { path, kind } of outputs[chunk]?.imports ?? []) if (kind === 'import-statement') chunks.add(path)
  }
  return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}))
}

it('loads nothing that is simulated before something is', async () => {
  const { metafile } = await build({
    entryPoints: ['src/server/server.ts', 'src/testing/testing.ts', 'src/simulate/simulation.ts'],
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
  const simulated = (entry: string): string[] =>
    loadedWith(metafile, entry).filter((source) => source.startsWith('src/simulate/'))
  expect(loadedWith(metafile, 'src/server/server.ts').length).toBeGreaterThan(100)
  expect(simulated('src/server/server.ts')).toEqual([])
  expect(simulated('src/testing/testing.ts')).toEqual([])
  // Each controller only where it is on.
  expect(
    simulated('src/simulate/simulation.ts').filter((source) => /\/(job|deployment)\/\w+\.ts$/.test(source)),
  ).toEqual([])
})
