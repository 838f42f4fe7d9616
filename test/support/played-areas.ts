/** Areas of the conformance suite, played against a server in this process. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { Connection } from '../../src/conformance/connection.ts'
import { runSuite, type ScenarioResult, suiteFolder } from '../../src/conformance/suite.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import { startServer } from '../../src/server/server.ts'

export interface PlayedArea {
  /** `v1.35-gates`. */
  readonly area: string
  /** The minor number of the release. */
  readonly release: number
}

/** The flags are those of conformance/README.md, and of the area where it has some. */
export async function playArea({ area, release }: PlayedArea): Promise<readonly ScenarioResult[]> {
  const folder = suiteFolder()
  const isGated = area.endsWith('-gates')
  const gates = isGated
    ? readFileSync(path.join(folder, area, 'flags.txt'), 'utf8')
        .trim()
        .split('\n')
    : []
  const options = parseServerOptions([
    ...['--store=memory', '--bind-address=127.0.0.1', '--authorization-mode=RBAC', '--allow-privileged=true'],
    ...['--service-cluster-ip-range=10.0.0.0/24', '--service-account-issuer=https://kubernetes.default.svc'],
    ...['--disable-admission-plugins=ServiceAccount', `--emulated-version=1.${release}`],
    ...['--controllers=namespace-controller,garbage-collector-controller', ...gates],
  ])
  const serving = { ...options.serving, securePort: 0 }
  const credentials = temporaryCredentials({ ...options, serving }, systemClock)
  const server = await startServer({ ...options, serving }, { logger: silentLogger(), credentials, clock: systemClock })
  await server.ready
  const connection = new Connection({
    url: server.addresses[0] ?? '',
    certificateAuthority: credentials.servingCaPem,
    clientCertificate: credentials.admin.certPem,
    clientKey: credentials.admin.keyPem,
    headers: () => ({}),
  } as ConstructorParameters<typeof Connection>[0])
  try {
    const choice = { areas: [area], release, isGated, jobs: 4, isRecording: false, onResult: () => {} }
    return await runSuite({ folder, connection, ...choice })
  } finally {
    connection.close()
    await server.close()
  }
}
