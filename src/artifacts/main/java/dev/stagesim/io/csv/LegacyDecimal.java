package dev.stagesim.io.csv;

/**
 * Reads decimal numbers like pandas' default CSV reader. It keeps at most 17 digits, including leading zeros, and then
 * divides once by a power of ten, so the last bit may differ from the nearest double.
 */
public final class LegacyDecimal {
    private static final int MAX_DIGITS = 17;

    private LegacyDecimal() {}

    /** Returns the value of a decimal number without surrounding blanks. The result for other text is undefined. */
    public static double parse(String text) {
        int at = text.startsWith("-") ? 1 : 0;
        double number = 0;
        int digits = 0;
        int decimals = 0;
        while (at < text.length() && Character.isDigit(text.charAt(at))) {
            number = number * 10 + (text.charAt(at++) - '0');
            digits++;
        }
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                if (digits < MAX_DIGITS) {
                    number = number * 10 + (text.charAt(at) - '0');
                    digits++;
                    decimals++;
                }
                at++;
            }
        }
        int exponent = -decimals;
        if (at < text.length() && Character.toLowerCase(text.charAt(at)) == 'e') {
            exponent += Integer.parseInt(text.substring(at + 1));
        }
        double power = Double.parseDouble("1e" + Math.abs(exponent));
        double magnitude = exponent < 0 ? number / power : number * power;
        return text.startsWith("-") ? -magnitude : magnitude;
    }
}
