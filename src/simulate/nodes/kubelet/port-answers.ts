/** Connections to the ports of simulated pods, over port-forward or straight: what the script says, or an honest page. */
import type { Pod } from '../../objects.ts'
import type { PodScripts } from '../script/pod-scripts.ts'

/** Undefined: the port is closed. */
export function portAnswer(scripts: PodScripts, pod: Pod, port: number): ((request: string) => string) | undefined {
  for (const { script } of [...scripts.scriptsOf(pod)].reverse()) {
    const { ports = {} } = script
    const name = [String(port), '*'].find((each) => Object.hasOwn(ports, each))
    if (name !== undefined) return (request) => answered(request, ports[name] ?? '')
  }
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
  const declared = containers.flatMap(({ ports }) =>
    Array.isArray(ports) ? (ports as { containerPort?: number }[]) : [],
  )
  // A pod that declares none may listen anywhere, as most images do that are run without more ado.
  if (declared.length > 0 && !declared.some(({ containerPort }) => containerPort === port)) return undefined
  const { namespace = '', name = '' } = pod.metadata
  const text = `Port ${port} of pod ${namespace}/${name} is simulated: nothing listens there.\n`
  return (request) => answered(request, text)
}

/** A page to those who speak HTTP, the text to others. */
function answered(request: string, text: string): string {
  if (!/^[A-Z]+ \S+ HTTP\/1\.[01]\r?\n/.test(request) || text.startsWith('HTTP/1.')) return text
  const length = Buffer.byteLength(text)
  const body = request.startsWith('HEAD ') ? '' : text
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`
}
