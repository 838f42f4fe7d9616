/** `pilothouse check`: what a server would say to the objects in files. Nothing is asked of any cluster. */
import { ConfigError } from '../../config/config-error.ts'
import { findDocuments, readFileArguments } from '../object-files.ts'
import type { Tool } from '../tool.ts'
import { counts, formats } from './report.ts'

const usage = `What a server would say to the objects in files: schema, unknown fields, defaults, validation, custom resources
and their rules, admission, policies, deprecations. Nothing is asked of any cluster.

Usage:
  pilothouse check -f FILE|DIR|- [--crds DIR] [--policies DIR] [-o text|json|junit|sarif] [-- server flags]

  -f, --filename NAME    a file, a folder (its .json, .yaml and .yml files) or - for the standard input; may be repeated
  -R, --recursive        folders of folders, too
  --crds NAME            a file or folder of custom resource definitions, installed first
  --policies NAME        a file or folder of admission policies, their bindings and parameters, installed next
  -n, --namespace NAME   the namespace of objects that name none (default "default")
  --skip-unknown         kinds that nobody defines are only warned of
  --strict               warnings count as well
  -o, --output FORMAT    text (default), json, junit or sarif
  server flags           what pilothouse serve takes, such as --feature-gates or --emulated-version

Namespaces that are missing are made first. Objects are judged as if each were created for itself; definitions,
namespaces and classes among them are there for the others.

Exit codes: 0 nothing that counts, 1 a mistake or a file that cannot be read, 2 something that the server would refuse
(or, with --strict, that it warns of).
`

const options = {
  crds: { type: 'string' },
  policies: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  'skip-unknown': { type: 'boolean' },
  strict: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

export const check: Tool = async (args, output) => {
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
  const read = (names: readonly string[], deep: boolean) => [...findDocuments(names, deep)]
  const folder = (name: string | boolean | undefined) => (name === undefined ? [] : read(String(name).split(','), true))
  const [crds, policies, objects] = [folder(values.crds), folder(values.policies), read(files, recursive)]
  if (objects.length === 0) throw new ConfigError('there are no objects in these files')

  const { startTestServer } = await import('../../testing/running-test-server.ts')
  const { Checker } = await import('./checker.ts')
  const server = await startTestServer({ flags: end < 0 ? [] : args.slice(end + 1), maxRequests: 1 })
  try {
    const settings = {
      namespace: String(values.namespace ?? 'default'),
      skipUnknown: values['skip-unknown'] === true,
    }
    const checker = new Checker(server, settings)
    const checked = [
      ...(await checker.install(crds)),
      ...(await checker.install(policies)),
      ...(await checker.check(objects)),
    ]
    output.print(format(checked))
    const { errors, warnings } = counts(checked)
    return errors > 0 || (values.strict === true && warnings > 0) ? 2 : 0
  } finally {
    await server.close()
  }
}
