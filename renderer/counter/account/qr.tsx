/** Draws a QR code from its rows of 0 and 1. The code is always dark on light and never mirrored. */
export function Qr({ rows, label }: { readonly rows: readonly string[]; readonly label: string }) {
  const quiet = 4 // modules of quiet zone, ISO/IEC 18004
  const size = rows.length + 2 * quiet
  const path = rows
    .map((row, y) =>
      [...row].map((dot, x) => (dot === '1' ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')).join(''),
    )
    .join('')
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect class="qr-paper" width={size} height={size} />
      <path class="qr-ink" d={path} />
    </svg>
  )
}
