/** Measures the layout of the face's screen on the live page, in every letter size and with low buttons. */
import type { Page } from 'playwright-core'

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}
export interface FaceGeometry {
  readonly camera: 'top' | 'bottom' | 'left' | 'right'
  readonly atPercent: number
  readonly text: string
  readonly reach: string
  /** Pixels of this screen for one of the drawing. */
  readonly unit: number
  readonly picture: Box
  /** Middle of the arrow. */
  readonly arrow: { readonly x: number; readonly y: number }
  readonly advice: Box
  readonly adviceLetters: number
  readonly controls: readonly (Box & { readonly text: string })[]
  readonly barTop: number
  readonly pages: number
  readonly scrolls: boolean
}

export const PLACES = [
  ['top', 50],
  ['top', 0],
  ['bottom', 30],
  ['left', 20],
  ['right', 75],
] as const

/** The portrait's camera has to be open. Its place, letters and reach are as they were afterwards. */
export async function measureFace(page: Page): Promise<readonly FaceGeometry[]> {
  return page.evaluate((places) => {
    const root = document.documentElement
    const find = (selector: string) => document.querySelector<HTMLElement>(selector) ?? root
    const screen = find('.screen-portrait')
    const boxOf = (element: Element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      return { left, top, right, bottom }
    }
    const before = { ...root.dataset }
    const standing = [screen.dataset.camera, screen.style.getPropertyValue('--camera-at')] as const
    const measured = places.flatMap(([camera, atPercent]) =>
      ['1', '2', '3'].flatMap((text) =>
        ['standard', 'low'].map((reach) => {
          screen.dataset.camera = camera
          screen.style.setProperty('--camera-at', String(atPercent))
          Object.assign(root.dataset, { text, reach })
          const arrow = boxOf(find('.camera-arrow .icon'))
          return {
            camera,
            atPercent,
            text,
            reach,
            unit: Number.parseFloat(getComputedStyle(root).getPropertyValue('--u')),
            picture: boxOf(find('.screen-portrait .capture-stage')),
            arrow: { x: (arrow.left + arrow.right) / 2, y: (arrow.top + arrow.bottom) / 2 },
            advice: boxOf(find('.screen-portrait .guidance')),
            adviceLetters: Number.parseFloat(getComputedStyle(find('.screen-portrait .guidance')).fontSize),
            controls: [...document.querySelectorAll<HTMLElement>('.screen-portrait .hands button')].map(
              (button) => ({ ...boxOf(button), text: button.innerText }),
            ),
            barTop: boxOf(find('.bar')).top,
            pages: document.querySelectorAll('.screen-portrait .pager').length,
            scrolls: root.scrollHeight > innerHeight || root.scrollWidth > innerWidth,
          }
        }),
      ),
    )
    screen.dataset.camera = standing[0] ?? 'top'
    screen.style.setProperty('--camera-at', standing[1])
    Object.assign(root.dataset, before)
    return measured
  }, PLACES)
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Controls have y ≥ 1120 on the upright screen, 1300 with low buttons (docs/screens.md). */
const HANDS_FROM = { standard: 1120, low: 1300 } as const
/** An arrow is whole on the screen: at a corner it stands half its width beside the lens. */
const BESIDE_LENS = 46

/** Returns the deviations from docs/screens.md, in words. */
export function faultsOfFace(measured: readonly FaceGeometry[], screen: Size): readonly string[] {
  return measured.flatMap((face) => {
    const at = `${face.camera} ${face.atPercent} %, letters ${face.text}, ${face.reach} buttons`
    return faultsAt(face, screen).map((fault) => `${at}: ${fault}`)
  })
}

function faultsAt(face: FaceGeometry, { width, height }: Size): readonly string[] {
  const { camera, atPercent, text, reach, unit, picture, arrow, advice, controls, barTop } = face
  const isUpright = height > width
  const isBeside = camera === 'left' || camera === 'right'
  const along = (atPercent / 100) * (isBeside ? height : width)
  const lens = {
    top: { x: along, y: 0 },
    bottom: { x: along, y: height },
    left: { x: 0, y: along },
    right: { x: width, y: along },
  }[camera]
  const [way, off] = isBeside
    ? [Math.abs(arrow.x - lens.x), Math.abs(arrow.y - lens.y)]
    : [Math.abs(arrow.y - lens.y), Math.abs(arrow.x - lens.x)]
  const wide = picture.right - picture.left
  const tall = picture.bottom - picture.top
  const isBetween = camera === 'bottom' ? advice.top >= picture.bottom : advice.bottom <= picture.top + 1
  const faults: readonly (readonly [string, boolean])[] = [
    ['the picture is not as wide as the screen', isUpright && wide < width - (isBeside ? 100 : 1)],
    ['the picture leaves the free third of the screen', isUpright && text === '1' && tall < height * 0.5],
    ['the picture is less than a third of the screen high', tall < height / 3],
    ['the arrow is not in line with the lens', off > BESIDE_LENS * unit],
    ['the arrow is not on the side of the lens', way > (isBeside ? width : height) / 2],
    ['the advice does not stand between picture and lens', !isBeside && !isBetween],
    ['the advice stands on the picture', advice.bottom > picture.top + 1 && advice.top < picture.bottom - 1],
    ['the advice is cut', advice.left < 0 || advice.right > width],
    ['the advice has small letters', face.adviceLetters < 56 * unit - 0.1],
    ['it has pages', face.pages > 0],
    ['it scrolls', face.scrolls],
    ['there are no two ways out', controls.length !== 2],
  ]
  return [
    ...faults.flatMap(([fault, isSo]) => (isSo ? [fault] : [])),
    ...controls.flatMap((control) => {
      const least = Math.max(64 * unit, 64)
      const found: readonly (readonly [string, boolean])[] = [
        ['is out of reach', isUpright && control.top < HANDS_FROM[reach === 'low' ? 'low' : 'standard']],
        ['is small', control.bottom - control.top < least - 1 || control.right - control.left < least - 1],
        ['is hidden', control.bottom > barTop + 1 || control.left < 0 || control.right > width + 1],
        ['stands on the picture', control.top < picture.bottom && control.left < picture.right - 1],
      ]
      return found.flatMap(([fault, isSo]) => (isSo ? [`'${control.text}' ${fault}`] : []))
    }),
  ]
}
