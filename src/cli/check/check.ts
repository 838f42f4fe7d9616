/** `pilothouse check`: what a server would say to the objects in files. Nothing is asked of any cluster. */
import { ConfigError } from '../../config/config-error.ts'
import type { RunningTestServer } from '../../testing/running-test-server.ts'
import { findDocuments, readFileArguments } from '../object-files.ts'
import type { Tool, ToolOutput } from '../tool.ts'
import { signatureOf, untilChanged } from './changed-files.ts'
import type { CheckSettings } from './checker.ts'
import type { CheckedObject } from './findings.ts'
import { neededDefinitions } from './needed-definitions.ts'
import { findingCounts, formats } from './report.ts'

const usage = `What a server would say to the objects in files: schema, unknown fields, defaults, validation, custom resources
and their rules, admission, policies, deprecations. Nothing is asked of any cluster.

Usage:
  pilothouse check -f FILE|DIR|- [--crds DIR] [--policies DIR] [-o text|json|junit|sarif] [-- server flags]

  -f, --filename NAME    a file, a folder (its .json, .yaml and .yml files) or - for the standard input; may be repeated
  -R, --recursive        folders of folders, too
  --crds NAME            a file or folder of custom resource definitions, installed first
  --catalog NAME         a folder of many definitions: those that the objects need are installed, the others not looked at
  --policies NAME        a file or folder of admission policies, their bindings and parameters, installed next
  -n, --namespace NAME   the namespace of objects that name none (default "default")
  --skip-unknown         kinds that nobody defines are only warned of
  --strict               warnings count as well
  -w, --watch            checks again after every change of a file, until Ctrl-C
  -o, --output FORMAT    text (default), json, junit or sarif
  server flags           what pilothouse serve takes, such as --feature-gates or --emulated-version

Namespaces that are missing are made first. Objects are judged as if each were created for itself; definitions,
namespaces and classes among them are there for the others.

Exit codes: 0 nothing that counts, 1 a mistake or a file that cannot be read, 2 something that the server would refuse
(or, with --strict, that it warns of).
`

const options = {
  crds: { type: 'string' },
  catalog: { type: 'string' },
  watch: { type: 'boolean', short: 'w' },
  policies: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  'skip-unknown': { type: 'boolean' },
  strict: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

export const checkTool: Tool = async (args, output) => {
  const end = args.indexOf('--')
  const { files, recursive, values } = readFileArguments(end < 0 ? args : args.slice(0, end), options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (files.length === 0) throw new ConfigError('must specify -f: which files to check')
  const format = formats[String(values.output ?? 'text')]
  if (format === undefined) {
    throw new ConfigError(`--output must be ${Object.keys(formats).join(', ')}, not ${values.output}`)
  }
  if (values.watch === true && files.includes('-')) throw new ConfigError('--watch needs files: - is read once')
  const folders = (name: string | boolean | undefined): string[] => (name === undefined ? [] : String(name).split(','))
  const sources: Sources = {
    files,
    recursive,
    crds: folders(values.crds),
    catalog: folders(values.catalog),
    policies: folders(values.policies),
  }
  const settings = {
    namespace: String(values.namespace ?? 'default'),
    skipUnknown: values['skip-unknown'] === true,
  }
  const { startTestServer } = await import('../../testing/open-test-server.ts')
  const server = await startTestServer({ flags: end < 0 ? [] : args.slice(end + 1), maxRequests: 1 })
  const once = async (): Promise<number> => {
    const checked = await checkAll(server, settings, sources)
    output.print(format(checked))
    const { errors, warnings } = findingCounts(checked)
    return errors > 0 || (values.strict === true && warnings > 0) ? 2 : 0
  }
  try {
    return values.watch === true ? await watching(sources, { once, output, server }) : await once()
  } finally {
    await server.close()
  }
}

interface Sources {
  readonly files: readonly string[]
  readonly recursive: boolean
  readonly crds: readonly string[]
  readonly catalog: readonly string[]
  readonly policies: readonly string[]
}

async function checkAll(
  server: RunningTestServer,
  settings: CheckSettings,
  sources: Sources,
): Promise<CheckedObject[]> {
  const read = (names: readonly string[], deep: boolean) => [...findDocuments(names, deep)]
  const [crds, policies] = [read(sources.crds, true), read(sources.policies, true)]
  const objects = read(sources.files, sources.recursive)
  if (objects.length === 0) throw new ConfigError('there are no objects in these files')
  const { Checker } = await import('./checker.ts')
  const checker = new Checker(server, settings)
  const needed = neededDefinitions(read(sources.catalog, true), [...policies, ...objects])
  const catalogued = await checker.install(needed)
  return [
    // What is good of a catalogue is none of the reader's business.
    ...catalogued.filter(({ findings }) => findings.some(({ severity }) => severity === 'error')),
    ...(await checker.install(crds)),
    ...(await checker.install(policies)),
    ...(await checker.check(objects)),
  ]
}

interface Watching {
  readonly once: () => Promise<number>
  readonly output: ToolOutput
  readonly server: RunningTestServer
}

/** Checks again after every change, until a signal ends it. */
async function watching(sources: Sources, { once, output, server }: Watching): Promise<number> {
  const names = [...sources.files, ...sources.crds, ...sources.catalog, ...sources.policies]
  const stop = new AbortController()
  const end = (): void => stop.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  let code = 0
  for (;;) {
    const before = signatureOf(names)
    // A file in the middle of a change is no reason to give up.
    code = await once().catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error
      output.note(`Error: ${error.message}\n`)
      return 1
    })
    output.note('waiting for changes\n')
    if (!(await untilChanged(names, before, stop.signal))) return code
    await server.reset()
  }
}
