/** All that a page of a thread is made of. */
export const ELEMENTS: ReadonlySet<string> = new Set(
  "a article b bdi blockquote body br code dd del details div dl dt em footer h1 h2 h4 h5 h6 head header hr html img input li main mark meta ol p path pre section span strong style summary svg table tbody td th thead time title tr ul".split(
    " ",
  ),
);

export const ATTRIBUTES: ReadonlySet<string> = new Set(
  "alt aria-hidden aria-label checked charset class content d datetime dir disabled href http-equiv id lang name rel role src start tabindex target title type viewBox".split(
    " ",
  ),
);
