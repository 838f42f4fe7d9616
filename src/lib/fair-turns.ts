/**
 * Shares the thread between long answers: each time the event loop goes round, only a few pieces of them are made and
 * sent, taken in turns from the flows (users, say) that have some. Whatever else came in is served in between, however
 * many answers there are, and a flow with hundreds of them gets no more than one with a single one. Of one flow, the
 * answer that began first goes on first: so answers end one after another, and give their seats back, instead of all
 * ending late. What waits is bounded by the requests that run: each waits for one piece at most.
 */

/** Pieces and milliseconds each time round. */
const maxPieces = 4
const maxMillis = 2

/** A piece of an answer; the age counts the answers that began before it. */
interface Piece {
  readonly age: number
  readonly work: () => void
}

function takeOldest(waiting: Piece[]): Piece {
  let oldest = 0
  for (let i = 1; i < waiting.length; i++) if (waiting[i]!.age < waiting[oldest]!.age) oldest = i
  const piece = waiting[oldest]!
  waiting[oldest] = waiting.at(-1)!
  waiting.pop()
  return piece
}

export class FairTurns {
  /** By flow, in the order in which they are served. */
  readonly #flows = new Map<string, Piece[]>()
  #begun = 0
  #pieces = 0
  #millis = 0
  #isScheduled = false

  /** An answer that begins now. What it gives runs a piece of it: at once when nothing waits, else when it has its turn. */
  begin(flow: string): (work: () => void) => void {
    const age = this.#begun++
    return (work) => this.#take(flow, { age, work })
  }

  #take(flow: string, piece: Piece): void {
    if (this.#flows.size === 0 && this.#hasTime) this.#run(piece)
    else {
      const waiting = this.#flows.get(flow)
      if (waiting === undefined) this.#flows.set(flow, [piece])
      else waiting.push(piece)
    }
    this.#schedule()
  }

  get #hasTime(): boolean {
    return this.#pieces < maxPieces && this.#millis < maxMillis
  }

  #run({ work }: Piece): void {
    const begin = performance.now()
    work()
    this.#pieces++
    this.#millis += performance.now() - begin
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#round())
  }

  #round(): void {
    this.#isScheduled = false
    this.#pieces = 0
    this.#millis = 0
    while (this.#hasTime) {
      const next = this.#flows.entries().next()
      if (next.done === true) return
      const [flow, waiting] = next.value
      const piece = takeOldest(waiting)
      this.#flows.delete(flow)
      if (waiting.length > 0) this.#flows.set(flow, waiting)
      this.#run(piece)
    }
    if (this.#flows.size > 0) this.#schedule()
  }
}
