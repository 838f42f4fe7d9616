import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** The examples are the users' own projects: here the package is the sources. */
const alias = { 'pilothouse/testing': path.join(import.meta.dirname, 'src/testing/testing.ts') }

/** Limits are for what never ends: a machine that is ten times slower than usual must not make a test fail. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 100_000 } } }

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'test/harness/**/*.test.ts'], ...patience } },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], ...patience } },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...patience } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...patience } },
      {
        resolve: { alias },
        test: {
          name: 'examples',
          include: ['examples/**/*.test.ts'],
          ...patience,
          // One process for all: loading the server takes longer than they do.
          isolate: false,
          fileParallelism: false,
        },
      },
    ],
  },
})
