/** Shows the distance to a limit as a bar; the text beside it says the same. */
export function Meter({ share, label }: { readonly share: number; readonly label: string }) {
  const shown = Math.min(1, Math.max(0, share))
  return (
    <svg
      class="meter"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${Math.round(shown * 100)} %`}
    >
      <rect class="meter-ground" width="100" height="8" />
      <rect class={shown > 0.8 ? 'meter-near' : 'meter-bar'} width={shown * 100} height="8" />
    </svg>
  )
}
