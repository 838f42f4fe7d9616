import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** The examples are the users' own projects: here the package is the sources. */
const alias = { 'pilothouse/testing': path.join(import.meta.dirname, 'src/testing/testing.ts') }

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 20_000 } },
      {
        test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'examples',
          include: ['examples/**/*.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
          // One process for all: loading the server takes longer than they do.
          isolate: false,
          fileParallelism: false,
        },
      },
    ],
  },
})
