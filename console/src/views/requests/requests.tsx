export function RequestsView() {
  return <p class="empty">…</p>
}
