/** Fire-and-forget promises, tracked by the clock: a test that waits until the server is idle waits for them, too. */
import type { Clock, Pausable } from './clock.ts'

export class BackgroundTasks implements Pausable {
  readonly #running = new Set<Promise<void>>()

  constructor({ queues }: Pick<Clock, 'queues'>) {
    queues?.add(this)
  }

  /** The caller handles its rejection. */
  run(work: Promise<unknown>): void {
    const running = work.then(
      () => void this.#running.delete(running),
      () => void this.#running.delete(running),
    )
    this.#running.add(running)
  }

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  /** A running task cannot be interrupted, and may start others. */
  async pause(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  resume(): void {}
}
