/**
 * Pane B: one picture, or two faces with equal distances between the eyes. A corrected picture is shown
 * beside the original.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { DeskImage } from '../../../../server/counter/contract/desk.ts'
import { useText } from '../../text.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { moveView, STILL, rotateView, zoomView } from './geometry.ts'
import type { View } from './geometry.ts'
import { actOfKey } from './keys.ts'
import type { ViewerAct } from './keys.ts'
import type { Pictures } from './pictures.ts'
import { Sheet } from './sheet.tsx'
import type { PickedField } from './sheet.tsx'

interface ViewerProps {
  readonly images: readonly DeskImage[]
  readonly pictures: Pictures
  /** The picture in the viewer. */
  readonly current: string | null
  readonly picked: PickedField | null
  readonly letters: boolean
  readonly onPick: (imageId: string) => void
  readonly onAct: (act: 'next-case' | 'previous-case' | 'keys') => void
}

export function Viewer({ images, pictures, current, picked, letters, onPick, onAct }: ViewerProps) {
  const { t } = useText()
  const [view, setView] = useState<View>(STILL)
  const [contrast, setContrast] = useState(false)
  const [grid, setGrid] = useState(false)
  const faces = findFaces(images)
  const [beside, setBeside] = useState(faces.length === 2)
  const [swapped, setSwapped] = useState(false)
  const before = useRef<string | null>(null)
  const last = useRef(current)

  // A layout effect, because a later effect could undo the next key press.
  useLayoutEffect(() => {
    if (last.current === current) return
    before.current = last.current
    last.current = current
    setView(STILL)
    setBeside(false)
  }, [current])
  useLayoutEffect(() => {
    if (picked) setBeside(false)
  }, [picked])

  const act = (wanted: ViewerAct) => {
    if (wanted.what === 'pick') {
      const image = images[wanted.image]
      if (!image) return
      setBeside(false)
      onPick(image.imageId)
    } else if (wanted.what === 'move') setView((now) => moveView(now, wanted.dx, wanted.dy))
    else simple[wanted.what]()
  }
  const simple: Readonly<Record<Exclude<ViewerAct['what'], 'pick' | 'move'>, () => void>> = {
    zoom: () =>
      setView((now) => (now.zoom >= 8 ? { ...STILL, turn: now.turn } : zoomView(now, now.zoom * 2))),
    nearer: () => setView((now) => zoomView(now, now.zoom * 1.5)),
    farther: () => setView((now) => zoomView(now, now.zoom / 1.5)),
    whole: () => setView(({ turn }) => ({ ...STILL, turn })),
    turn: () => setView(rotateView),
    contrast: () => setContrast((on) => !on),
    grid: () => setGrid((on) => !on),
    beside: () => {
      if (faces.length < 2) return
      setBeside((on) => !on)
      setView(STILL)
    },
    // The swap shows two pictures at the same place, one after the other.
    swap: () => {
      if (beside) setSwapped((on) => !on)
      else if (before.current) onPick(before.current)
    },
    'next-case': () => onAct('next-case'),
    'previous-case': () => onAct('previous-case'),
    keys: () => onAct('keys'),
  }

  const shown = beside
    ? swapped
      ? [...faces].reverse()
      : faces
    : images.filter(({ imageId }) => imageId === current)
  const ready = shown.flatMap((image) => {
    const url = pictures[image.imageId]
    return url ? [{ image, url }] : []
  })
  const nameImage = (image: DeskImage) => t(`image.${image.kind}`)
  const common = { view, onView: setView, byEyes: beside, grid, picked: beside ? null : picked }
  return (
    <div
      class="viewer"
      role="group"
      tabIndex={0}
      aria-label={t('desk.viewer.label')}
      aria-describedby="viewer-keys"
      onKeyDown={(event) => {
        const wanted = actOfKey(event, letters)
        if (!wanted) return
        event.preventDefault()
        act(wanted)
      }}
    >
      <div class="tools" role="toolbar" aria-label={t('desk.viewer.tools')}>
        <Tool icon="farther" word={t('desk.tool.farther')} keys="-" bare onPress={simple.farther} />
        <output class="tool-zoom" aria-label={t('desk.tool.zoom')}>
          {t('desk.zoom', { times: Math.round(view.zoom * 10) / 10 })}
        </output>
        <Tool icon="nearer" word={t('desk.tool.nearer')} keys="+" bare onPress={simple.nearer} />
        <Tool icon="corners" word={t('desk.tool.whole')} keys="0" onPress={simple.whole} />
        <Tool icon="retry" word={t('desk.tool.turn')} keys="R" onPress={simple.turn} />
        <Tool
          icon="contrast"
          word={t('desk.tool.contrast')}
          keys="C"
          pressed={contrast}
          onPress={simple.contrast}
        />
        <Tool icon="menu" word={t('desk.tool.grid')} keys="G" pressed={grid} onPress={simple.grid} />
        {faces.length === 2 && (
          <Tool
            icon="compare"
            word={t('desk.tool.beside')}
            keys="S"
            pressed={beside}
            onPress={simple.beside}
          />
        )}
        <Tool icon="flip" word={t('desk.tool.swap')} keys="B" onPress={simple.swap} />
      </div>
      <div class={`sheets sheets-${ready.length > 1 || contrast ? 'pair' : 'one'}`}>
        {ready.map(({ image, url }) => (
          <Sheet
            key={image.imageId}
            image={image}
            url={url}
            caption={contrast ? t('desk.as-it-is', { image: nameImage(image) }) : nameImage(image)}
            corrected={false}
            {...common}
          />
        ))}
        {contrast &&
          ready.map(({ image, url }) => (
            <Sheet
              key={`${image.imageId} corrected`}
              image={image}
              url={url}
              caption={t('desk.with-contrast', { image: nameImage(image) })}
              corrected
              {...common}
            />
          ))}
        {ready.length === 0 && (
          <p class="sheet-empty muted" role="status">
            {shown.some(({ imageId }) => pictures[imageId] === null)
              ? t('desk.picture-failed')
              : images.length === 0
                ? t('desk.no-pictures')
                : t('loading')}
          </p>
        )}
      </div>
      <p id="viewer-keys" class="viewer-keys small muted">
        {letters ? t('desk.keys.hint') : t('desk.keys.hint-off')}
      </p>
    </div>
  )
}

/** Returns the two faces of the question: the document's first, the applicant's beside it. */
function findFaces(images: readonly DeskImage[]): readonly DeskImage[] {
  const withEyes = images.filter(({ eyes }) => eyes !== null)
  const onDocument =
    withEyes.find(({ kind }) => kind === 'DOCUMENT_PORTRAIT') ?? withEyes.find(({ kind }) => kind === 'FRONT')
  const ofPerson = withEyes.find(({ kind }) => kind === 'PORTRAIT')
  return onDocument && ofPerson ? [onDocument, ofPerson] : []
}

function Tool({
  icon,
  word,
  keys,
  pressed,
  bare = false,
  onPress,
}: {
  readonly icon: IconName
  readonly word: string
  readonly keys: string
  readonly pressed?: boolean
  /** Shows only the icon: nearer, farther. */
  readonly bare?: boolean
  readonly onPress: () => void
}) {
  return (
    <button
      type="button"
      class="tool"
      aria-pressed={pressed}
      aria-label={bare ? word : undefined}
      title={`${word} (${keys})`}
      onClick={onPress}
    >
      <Icon name={icon} size={20} />
      {!bare && <span>{word}</span>}
    </button>
  )
}
