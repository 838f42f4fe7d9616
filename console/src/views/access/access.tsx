export function AccessView() {
  return <p class="empty">…</p>
}
