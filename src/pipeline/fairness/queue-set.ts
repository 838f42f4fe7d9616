/**
 * The queues of one priority level. A request takes seats while it runs, and may linger on some after it has ended;
 * requests wait in queues while the seats are taken, and the queue that has had the least service goes next.
 *
 * Fair queuing by virtual time: a meter R advances by the seat-milliseconds that each active queue is due. A queue
 * remembers the R at which its next request would begin. A request is charged an estimate when it is dispatched, and
 * the difference to what it really took when it has ended.
 *
 *   queue A  [a1 a2 a3]  next R 12   ← dispatched next: the least next R + work of its first request
 *   queue B  [b1]        next R 30
 *   running  a0 b0       seats 2 of 2
 *
 * While the queues are empty and there is a seat, a request is let through with a few additions and no queuing.
 *
 * Preemption: a request that waits for its client or for its turn lends its seats (`Seats`). When another flow's request
 * finds no free seats, it may take lent seats (preemption.ts); the preempted request is paused, and goes on, ahead of what its
 * flow has not begun, when it has seats again. So the limit always holds for what is at work, and a reader that does not
 * read delays its own flow alone.
 */
import { boundNextR, estimatedMs, FlowQueue, type FlowRequest, type RequestState } from './flow-request.ts'
import { findPreemption, isSameFlow } from './preemption.ts'
import type { QueueSetOptions, Queuing } from './queue-set-options.ts'
import { type QueueView, queueView } from './queue-view.ts'
import { type QueueChoice, StartTimes } from './start-times.ts'

export type QueueVerdict = 'execute' | 'wait' | 'refuse'

export class QueueSet {
  readonly #options: QueueSetOptions
  readonly #executing: FlowRequest[] = []
  #queues: FlowQueue[] = []
  #queuing: Queuing | undefined
  #limit = 0
  #r = 0
  #lastTime: number
  #activeQueues = 0
  #queuedSeatsInUse = 0
  #lastQueue = -1
  #arrivals = 0
  waiting = 0
  seatsWaiting = 0
  seatsInUse = 0
  dispatched = 0
  refused = 0
  /** When a request was last chosen from the queues. */
  lastChoice: QueueChoice | undefined
  timedOut = 0
  cancelled = 0

  constructor(options: QueueSetOptions) {
    this.#options = options
    this.#lastTime = options.clock.now()
  }

  /** Infinity for a level without limits. Queues that are too many go when they are empty. */
  configure(limit: number, queuing: Queuing | undefined): void {
    this.#advance()
    this.#limit = limit
    this.#queuing = queuing
    for (let i = this.#queues.length; i < (queuing?.queues ?? 0); i++) this.#queues.push(new FlowQueue(i))
    this.#dropSpareQueues()
    this.#dispatchAll()
  }

  get executing(): number {
    return this.#executing.length
  }

  get idle(): boolean {
    return this.waiting === 0 && this.#executing.length === 0
  }

  get limit(): number {
    return this.#limit
  }

  /** The progress meter, in seat-seconds. */
  get currentR(): number {
    return this.#r / 1000
  }

  admit(request: FlowRequest): QueueVerdict {
    const now = this.#advance()
    request.arrivedAt = now
    request.arrivedR = this.#r
    if (this.#queuing === undefined) {
      if (!this.#hasRoom(request.maxSeats)) return this.#refuse(request)
      this.#start(request, now)
      return 'execute'
    }
    const queue = this.#chooseQueue(request.flow.hand)
    request.queue = queue
    if (this.waiting === 0 && this.seatsInUse < this.#limit && this.#hasRoom(request.maxSeats)) {
      queue.nextR = queue.idle ? this.#r : Math.max(queue.nextR, this.#r)
      this.#start(request, now)
      return 'execute'
    }
    if (this.seatsInUse >= this.#limit && queue.waiting.size >= this.#queuing.queueLengthLimit) {
      return this.#refuse(request)
    }
    this.#enqueue(request, queue)
    this.#dispatchAll()
    if ((request.state as RequestState) === 'executing') return 'execute'
    this.#options.onWant?.(this.missing(0))
    return 'wait'
  }

  /** How many seats more would be needed for all that wait, and as many besides. */
  missing(seats: number): number {
    return this.seatsInUse + this.seatsWaiting + seats - this.#limit
  }

  /** Takes a request that waits out of its queue: its time is up, or its client has gone. False when it runs. */
  cancel(request: FlowRequest, why: 'time-out' | 'gone'): boolean {
    if (request.state !== 'waiting') return false
    this.#advance()
    this.#leaveQueue(request)
    request.state = 'refused'
    this.refused++
    if (why === 'time-out') this.timedOut++
    else this.cancelled++
    this.#noteDemand()
    return true
  }

  /** The request has ended: its seats are free, now or after it has lingered. */
  finish(request: FlowRequest): void {
    if (request.state === 'paused') this.#finishPaused(request)
    if (request.state !== 'executing') return
    const now = this.#advance()
    const { work } = request
    this.#charge(request, now)
    if (work.lingerMs > 0 && work.finalSeats > 0) {
      request.state = 'lingering'
      this.#options.usage?.note(this, now)
      this.#options.clock.setTimeout(() => {
        this.#advance()
        this.#release(request)
      }, work.lingerMs)
    } else {
      this.#release(request)
    }
  }

  #finishPaused(request: FlowRequest): void {
    this.#advance()
    this.#leaveQueue(request)
    request.state = 'ended'
    request.resume()
    this.#noteDemand()
    this.#dispatchAll()
  }

  /** It no longer runs: its queue pays for the time that it did. */
  #charge(request: FlowRequest, now: number): void {
    const { queue, work } = request
    this.#forget(request)
    const ms = now - request.startedAt
    request.executionMs += ms
    if (queue === undefined) return
    queue.executing--
    if (queue.idle) this.#activeQueues--
    queue.nextR -= work.seats * (estimatedMs - ms)
    boundNextR(queue)
  }

  /** A request lends its seats from now on. */
  lent(): void {
    if (this.waiting === 0) return
    this.#advance()
    this.#dispatchAll()
  }

  #preempt(request: FlowRequest): void {
    const queue = request.queue as FlowQueue
    this.#charge(request, this.#lastTime)
    request.state = 'paused'
    this.#returnSeats(request)
    if (queue.idle) this.#activeQueues++
    queue.paused.add(request)
    queue.waitingCost += request.cost
    this.waiting++
    this.seatsWaiting += request.maxSeats
    request.onPause?.(request, true)
  }

  /** The last one takes its place. */
  #forget({ place }: FlowRequest): void {
    const last = this.#executing.pop()
    if (last === undefined || last.place === place) return
    this.#executing[place] = last
    last.place = place
  }

  #returnSeats({ maxSeats, queue }: FlowRequest): void {
    this.seatsInUse -= maxSeats
    if (queue === undefined) return
    queue.seatsInUse -= maxSeats
    this.#queuedSeatsInUse -= maxSeats
  }

  #release(request: FlowRequest): void {
    request.state = 'ended'
    this.#returnSeats(request)
    if (this.#queues.length > (this.#queuing?.queues ?? 0)) this.#dropSpareQueues()
    this.#noteDemand()
    this.#options.onFreed?.()
    if (this.waiting > 0) this.#dispatchAll()
  }

  /** Moves R on by the time since the last change, at the rate of the state that lasted until now. */
  #advance(): number {
    const now = this.#options.clock.now()
    if (this.#activeQueues > 0) {
      const wanted = this.#queuedSeatsInUse + this.seatsWaiting
      this.#r += ((now - this.#lastTime) * Math.min(wanted, this.#limit)) / this.#activeQueues
    }
    this.#lastTime = now
    return now
  }

  #noteDemand(): void {
    const { demand, usage } = this.#options
    demand.set(this.seatsInUse + this.seatsWaiting, this.#lastTime)
    usage?.note(this, this.#lastTime)
  }

  /** A request wider than the level may run alone. */
  #hasRoom(seats: number): boolean {
    if (seats > this.#limit) return this.#executing.length === 0
    return this.seatsInUse + seats <= this.#limit
  }

  #refuse(request: FlowRequest): QueueVerdict {
    request.state = 'refused'
    this.refused++
    return 'refuse'
  }

  /** The queue of the hand with the least work waiting, beginning at another card each time. */
  #chooseQueue(hand: readonly number[]): FlowQueue {
    const offset = this.#arrivals++ % hand.length
    let best: FlowQueue | undefined
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length] as number]
      if (queue === undefined) continue
      if (best === undefined || queue.waitingCost < best.waitingCost) best = queue
      if (this.waiting === 0) break
    }
    // A hand that was dealt for more queues than are left, by a configuration that has just changed.
    return best ?? (this.#queues[0] as FlowQueue)
  }

  #enqueue(request: FlowRequest, queue: FlowQueue): void {
    if (queue.idle) {
      queue.nextR = this.#r
      this.#activeQueues++
    }
    request.state = 'waiting'
    queue.waiting.add(request)
    queue.waitingCost += request.cost
    this.waiting++
    this.seatsWaiting += request.maxSeats
    boundNextR(queue)
    this.#noteDemand()
  }

  #leaveQueue(request: FlowRequest): void {
    const { queue } = request
    if (queue === undefined) return
    if (!queue.paused.delete(request)) queue.waiting.delete(request)
    queue.waitingCost -= request.cost
    if (queue.idle) this.#activeQueues--
    this.waiting--
    this.seatsWaiting -= request.maxSeats
    boundNextR(queue)
  }

  #start(request: FlowRequest, now: number): void {
    const { queue, maxSeats } = request
    if (request.state !== 'paused') this.dispatched++
    request.state = 'executing'
    request.owner = this
    request.startedAt = now
    request.place = this.#executing.push(request) - 1
    this.seatsInUse += maxSeats
    if (queue !== undefined) {
      if (queue.idle) this.#activeQueues++
      queue.executing++
      queue.seatsInUse += maxSeats
      queue.nextR += request.cost
      this.#queuedSeatsInUse += maxSeats
    }
    this.#noteDemand()
  }

  #dispatchAll(): void {
    while (this.waiting > 0) {
      const request = this.#nextRequest()
      if (request === undefined) return
      if (this.seatsInUse < this.#limit && this.#hasRoom(request.maxSeats)) this.#dispatch(request)
      else if (!this.#dispatchByPreemption()) {
        if (this.seatsInUse < this.#limit) this.#options.onNoRoom?.(request)
        return
      }
    }
  }

  #dispatch(request: FlowRequest): void {
    const queue = request.queue as FlowQueue
    const isPaused = request.state === 'paused'
    this.#lastQueue = queue.index
    this.#leaveQueue(request)
    this.#start(request, this.#lastTime)
    boundNextR(queue)
    if (isPaused) {
      request.onPause?.(request, false)
      request.resume()
    } else request.onDispatch?.()
  }

  /** What was begun goes before what its flow has not begun, whatever queues they are in: little is under way at a time. */
  #nextRequest(): FlowRequest | undefined {
    const first = this.#nextQueue()?.first
    if (first === undefined || first.state === 'paused') return first
    for (const { paused } of this.#queues) {
      for (const each of paused) if (isSameFlow(each.flow, first.flow)) return each
    }
    return first
  }

  /** Pauses requests that have lent their seats for one that has more right to them. False: there are none. */
  #dispatchByPreemption(): boolean {
    const found = findPreemption({
      executing: this.#executing,
      waiting: this.#queues,
      free: this.#limit - this.seatsInUse,
    })
    if (found === undefined) return false
    for (const request of found.preempted) this.#preempt(request)
    this.#dispatch(found.request)
    return true
  }

  /** The queue whose first request would end first in virtual time; ties are broken round-robin. */
  #nextQueue(): FlowQueue | undefined {
    const count = this.#queues.length
    const starts = new StartTimes()
    let best: FlowQueue | undefined
    let bestEnd = Infinity
    for (let i = 1; i <= count; i++) {
      const queue = this.#queues[(this.#lastQueue + i) % count] as FlowQueue
      if (queue.first === undefined) continue
      starts.note(queue)
      const end = queue.nextR + (queue.first?.cost ?? 0)
      if (end < bestEnd) {
        bestEnd = end
        best = queue
      }
    }
    if (best !== undefined) this.lastChoice = { r: this.#r / 1000, start: best.nextR / 1000, starts }
    return best
  }

  #dropSpareQueues(): void {
    const wanted = this.#queuing?.queues ?? 0
    while (this.#queues.length > wanted && this.#queues.at(-1)?.idle) this.#queues.pop()
    if (this.#lastQueue >= this.#queues.length) this.#lastQueue = -1
  }

  /** For people who look inside. */
  queues(): readonly QueueView[] {
    return this.#queues.map(queueView)
  }

  running(): Iterable<FlowRequest> {
    return this.#executing
  }
}
