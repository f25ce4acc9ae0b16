/** The pictures of the case in hand: fetched once, kept in memory, given back when the case goes. */
import { useEffect, useState } from 'preact/hooks'
import type { DeskImage } from '../../../../server/counter/contract/desk.ts'
import { useClient } from '../../session.tsx'

/** Url by image; null: it could not be fetched; absent: on its way. */
export type Pictures = Readonly<Record<string, string | null>>

export function usePictures(images: readonly DeskImage[]): Pictures {
  const client = useClient()
  const [pictures, setPictures] = useState<Pictures>({})
  const key = images.map(({ imageId }) => imageId).join(' ')
  useEffect(() => {
    const aborter = new AbortController()
    const urls: string[] = []
    setPictures({})
    const fetchAll = async () => {
      for (const { imageId, href } of images) {
        let url: string | null = null
        try {
          const picture = await client.blob(href, { signal: aborter.signal })
          if (aborter.signal.aborted) return
          url = URL.createObjectURL(picture)
          urls.push(url)
        } catch {
          // Told at its place in the list; the others are still wanted.
          if (aborter.signal.aborted) return
        }
        setPictures((before) => ({ ...before, [imageId]: url }))
      }
    }
    void fetchAll()
    return () => {
      aborter.abort()
      for (const url of urls) URL.revokeObjectURL(url)
    }
  }, [key, client])
  return pictures
}
