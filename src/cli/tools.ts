/** The commands besides `serve`, loaded when they are called. */
import type { Tool } from './tool.ts'

export const tools: Readonly<Record<string, { readonly about: string; load(): Promise<Tool> }>> = {
  snapshot: {
    about: 'save, restore or inspect the embedded store as one file',
    load: async () => (await import('./snapshot.ts')).snapshot,
  },
  import: {
    about: 'read the objects of a cluster into a store or a snapshot',
    load: async () => (await import('./import/import.ts')).importCluster,
  },
  copy: {
    about: 'copy all objects from one store to another',
    load: async () => (await import('./copy.ts')).copy,
  },
  convert: {
    about: 'objects in files, in another API version',
    load: async () => (await import('./convert.ts')).convert,
  },
  lint: {
    about: 'which API versions of objects in files go or are gone',
    load: async () => (await import('./lint.ts')).lint,
  },
  check: {
    about: 'what a server would say to objects in files',
    load: async () => (await import('./check/check.ts')).checkTool,
  },
  conformance: {
    about: 'compare the answers of a server with those of the reference',
    load: async () => (await import('./conformance.ts')).conformance,
  },
  console: {
    about: 'a link to the console of a server, or the console in front of any other cluster',
    load: async () => (await import('./console.ts')).openConsole,
  },
  test: {
    about: 'run a command with a throw-away server',
    load: async () => (await import('./test-command.ts')).test,
  },
  envtest: {
    about: "stand in for the programs of controller-runtime's envtest",
    load: async () => (await import('./envtest/envtest.ts')).envtest,
  },
}
