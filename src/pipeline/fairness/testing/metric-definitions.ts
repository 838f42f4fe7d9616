/** The metrics that fairness counts in, for tests: names and labels only. */
import type { MetricDefinition, MetricType } from '../../../lib/metrics.ts'

const flow = ['flow_schema', 'priority_level']
const level = ['priority_level']

const rows: readonly (readonly [MetricType, readonly string[], string])[] = [
  ['gauge', flow, 'current_executing_requests current_executing_seats current_inqueue_requests current_inqueue_seats'],
  ['counter', flow, 'dispatched_requests_total request_dispatch_no_accommodation_total'],
  ['counter', [...flow, 'reason'], 'rejected_requests_total'],
  ['histogram', [...flow, 'type'], 'request_execution_seconds'],
  ['histogram', ['execute', ...flow], 'request_wait_duration_seconds'],
  ['histogram', flow, 'request_queue_length_after_enqueue work_estimated_seats watch_count_samples'],
  [
    'gauge',
    level,
    'nominal_limit_seats lower_limit_seats upper_limit_seats current_limit_seats target_seats current_r',
  ],
  ['gauge', level, 'demand_seats_average demand_seats_high_watermark demand_seats_smoothed demand_seats_stdev'],
  ['gauge', [], 'seat_fair_frac'],
  ['gauge', level, 'dispatch_r latest_s'],
  ['gauge', ['bound', ...level], 'next_s_bounds next_discounted_s_bounds'],
  ['histogram', ['phase', ...level], 'priority_level_request_utilization priority_level_seat_utilization'],
  ['histogram', level, 'demand_seats'],
]

export const flowMetricDefinitions: readonly MetricDefinition[] = rows.flatMap(([type, labels, names]) =>
  names.split(' ').map((name) => ({ name: `apiserver_flowcontrol_${name}`, type, help: '', labels, buckets: [1, 10] })),
)
