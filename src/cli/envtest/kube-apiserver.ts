/** The arguments of the server as envtest starts it: in memory where the etcd that it is given is the stand-in, which keeps nothing. */
import { parseFlags } from '../../config/flags.ts'
import { standInVersion } from './etcd-stand-in.ts'

const askMs = 5000

export async function serverArguments(args: readonly string[]): Promise<readonly string[]> {
  const [server] = parseFlags(args).list('etcd-servers')
  if (server === undefined || !(await isStandIn(server))) return args
  return [...withoutFlag(args, '--etcd-servers'), '--store=memory']
}

async function isStandIn(server: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/version', server), { signal: AbortSignal.timeout(askMs) })
    const { etcdserver } = (await answer.json()) as { etcdserver?: unknown }
    return etcdserver === standInVersion
  } catch {
    return false
  }
}

function withoutFlag(args: readonly string[], flag: string): string[] {
  return args.filter((arg, i) => arg !== flag && !arg.startsWith(`${flag}=`) && args[i - 1] !== flag)
}
