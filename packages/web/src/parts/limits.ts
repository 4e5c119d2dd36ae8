/** The longest value of a field for a name of 255 characters: browsers count each of an emoji's two UTF-16 units. */
export const NAME_MAX = 2 * 255;
