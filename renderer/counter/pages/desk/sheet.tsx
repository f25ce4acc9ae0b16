/** One picture in the viewer: placed, with the selected field framed, the grid and the watermark over it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeskImage } from '../../../../server/counter/contract/desk.ts'
import { useText } from '../../text.tsx'
import { Watermark } from '../../ui/watermark.tsx'
import { computeMatrix, moveView, viewOfField, zoomView } from './geometry.ts'
import type { Box, Size, View } from './geometry.ts'

export interface PickedField {
  readonly imageId: string
  readonly field: string
  readonly box: Box
}

interface SheetProps {
  readonly image: DeskImage
  readonly url: string
  readonly caption: string
  readonly view: View
  readonly onView: (view: View) => void
  /** Faces beside each other, with equal distances between the eyes. */
  readonly byEyes: boolean
  readonly corrected: boolean
  readonly grid: boolean
  readonly picked: PickedField | null
}

export function Sheet({ image, url, caption, view, onView, byEyes, corrected, grid, picked }: SheetProps) {
  const { t } = useText()
  const glass = useRef<HTMLDivElement>(null)
  const size = useSize(glass)
  const [natural, setNatural] = useState<Size | null>(null)
  const [broken, setBroken] = useState(false)
  const eyes = byEyes ? image.eyes : null
  const latest = useRef({ view, onView })
  latest.current = { view, onView }

  const field = picked?.imageId === image.imageId ? picked : null
  // Selecting a row on the left moves the viewer to the place where the value was read.
  useEffect(() => {
    if (field && natural && size) onView(viewOfField(natural, size, view, field.box))
  }, [field, natural === null, size === null])

  const dragged = useDrag(glass, latest)
  useWheel(glass, latest)
  return (
    <figure class="sheet">
      <div
        class={`sheet-glass${dragged ? ' is-dragged' : ''}`}
        ref={glass}
        onContextMenu={(event) => event.preventDefault()}
      >
        <div
          class="sheet-picture"
          style={
            natural && size
              ? {
                  inlineSize: `${natural.width}px`,
                  blockSize: `${natural.height}px`,
                  transform: computeMatrix(natural, size, view, eyes),
                }
              : { visibility: 'hidden' }
          }
        >
          <img
            src={url}
            alt={caption}
            draggable={false}
            class={corrected ? 'is-corrected' : undefined}
            onError={() => setBroken(true)}
            onLoad={({ currentTarget }) =>
              setNatural({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
            }
          />
          {field && natural && (
            <svg class="sheet-field" viewBox={`0 0 ${natural.width} ${natural.height}`} aria-hidden="true">
              <rect {...field.box} />
              <rect {...field.box} />
            </svg>
          )}
        </div>
        {broken && <p class="sheet-empty muted">{t('desk.picture-failed')}</p>}
        {grid && <Grid />}
        <Watermark />
      </div>
      <figcaption>{caption}</figcaption>
    </figure>
  )
}

/** Eight by eight, light on dark, so that it is visible on every picture. */
function Grid() {
  const lines = [1, 2, 3, 4, 5, 6, 7].map((at) => `M${at * 12.5} 0v100M0 ${at * 12.5}h100`).join('')
  return (
    <svg class="sheet-grid" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={lines} />
      <path d={lines} />
    </svg>
  )
}

function useSize(of: { readonly current: HTMLElement | null }): Size | null {
  const [size, setSize] = useState<Size | null>(null)
  useEffect(() => {
    const element = of.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return size
}

interface Latest {
  readonly current: { readonly view: View; readonly onView: (view: View) => void }
}

/** Dragging is optional: buttons and arrow keys do the same. */
function useDrag(glass: { readonly current: HTMLElement | null }, latest: Latest): boolean {
  const [dragged, setDragged] = useState(false)
  useEffect(() => {
    const element = glass.current
    if (!element) return
    let from: { x: number; y: number } | null = null
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return
      from = { x: event.clientX, y: event.clientY }
      element.setPointerCapture(event.pointerId)
      setDragged(true)
    }
    const move = (event: PointerEvent) => {
      if (!from) return
      const { view, onView } = latest.current
      const dx = (event.clientX - from.x) / element.clientWidth
      const dy = (event.clientY - from.y) / element.clientHeight
      from = { x: event.clientX, y: event.clientY }
      onView(moveView(view, dx, dy))
    }
    const up = () => {
      from = null
      setDragged(false)
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', up)
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', up)
    }
  }, [])
  return dragged
}

/** Zooms about the pointer. One notch of a wheel is 100 pixels in Chromium. */
function useWheel(glass: { readonly current: HTMLElement | null }, latest: Latest): void {
  useEffect(() => {
    const element = glass.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const { view, onView } = latest.current
      const box = element.getBoundingClientRect()
      const about = {
        x: (event.clientX - box.x) / box.width - 0.5,
        y: (event.clientY - box.y) / box.height - 0.5,
      }
      onView(zoomView(view, view.zoom * 1.25 ** (-event.deltaY / 100), about))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])
}
