export function TimeView() {
  return <p class="empty">…</p>
}
