/** What a person may do to a test server in its console: what the test endpoint can, but for ending it. */
import type { ControlRequest, TestingControls } from '../console/testing.ts'
import type { RunningTestServer } from './running-test-server.ts'
import { NotFoundError, TestActions } from './test-actions.ts'

interface Fork {
  readonly id: string
  readonly url: string
}

export class ConsoleControls implements TestingControls {
  readonly #server: RunningTestServer
  readonly #actions: TestActions
  readonly #forks = new Map<string, Fork>()
  #count = 0

  constructor(server: RunningTestServer) {
    this.#server = server
    this.#actions = new TestActions(server, async (fork) => {
      const id = String(++this.#count)
      const link = await fork.console()
      this.#forks.set(id, { id, url: fork.url })
      return { answer: { id, url: fork.url, link }, close: async () => void this.#forks.delete(id) }
    })
  }

  async act({ method, path, query, text }: ControlRequest): Promise<object> {
    if (path === '' || path === '/') {
      if (method !== 'GET') throw new NotFoundError(`there is no ${method} of the server`)
      return this.#summary()
    }
    const answer = await this.#actions.act({ method, path, search: new URLSearchParams(query), text })
    if (Array.isArray(answer)) return { items: answer }
    return (answer ?? {}) as object
  }

  async close(): Promise<void> {
    await this.#actions.closeForks()
  }

  #summary(): object {
    const { clock, simulation, snapshotNames } = this.#server
    return {
      now: clock.now(),
      snapshots: snapshotNames,
      faults: this.#actions.faults,
      forks: [...this.#forks.values()],
      simulated: simulation !== undefined,
    }
  }
}
