import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** The examples are the users' own projects: here the package is the sources. */
const alias = [
  { find: /^pilothouse-apiserver\/testing$/, replacement: path.join(import.meta.dirname, 'src/testing/testing.ts') },
  { find: /^pilothouse-apiserver$/, replacement: path.join(import.meta.dirname, 'src/embedding/embedding.ts') },
]

/** Limits are for what never ends: a machine that is ten times slower than usual must not make a test fail. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 100_000 } } }

/** Files share a worker and its modules: loading the server takes longer than most files do, and nothing in it is global. */
const shared = { isolate: false, env: { PILOTHOUSE_CHECK_MEMOS: '1' }, ...patience }

export default defineConfig({
  test: {
    maxWorkers: os.availableParallelism(),
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'test/harness/**/*.test.ts',
            'test/differential/**/*.test.ts',
            'test/differential-simulate/**/*.test.ts',
          ],
          ...shared,
        },
      },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], ...shared } },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...shared } },
      { resolve: { alias }, test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...shared } },
      {
        resolve: { alias },
        test: {
          name: 'examples',
          include: ['examples/**/*.test.ts'],
          ...shared,
        },
      },
    ],
  },
})
