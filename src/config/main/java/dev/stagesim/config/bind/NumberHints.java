package dev.stagesim.config.bind;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The working form of text that is typed for a number: with a unit, a multiplier, or a range. */
final class NumberHints {
    private static final String NUMBER = "(\\d+(?:\\.\\d+)?)";
    private static final Pattern SCALED = Pattern.compile(NUMBER + "\\s*([kKmMgGbB])");
    private static final Pattern RATE = Pattern.compile(NUMBER + "\\s*[A-Za-z]*\\s*(?:/|per)\\s*(min|h|hour)\\w*");
    private static final Pattern PER_SECOND = Pattern.compile(NUMBER + "\\s*(?:rps|qps|[A-Za-z]*/s(?:ec)?|[hH][zZ])");
    private static final Pattern PERCENT = Pattern.compile(NUMBER + "\\s*%");
    private static final Pattern WITH_UNIT = Pattern.compile(NUMBER + "\\s*[A-Za-z/%µ].*");
    private static final Pattern RANGE = Pattern.compile("(\\d+)\\s*(?:\\.\\.|-|:|to)\\s*(\\d+)");
    private static final String POWERS = "kmg";

    private NumberHints() {}

    /** Returns a hint for text in place of a number of {@code unit}; empty if the text resembles no number. */
    static String of(String text, String unit) {
        String typed = text.strip();
        if (typed.isEmpty()) {
            return "it has no value: write a number after the =";
        }
        Matcher scaled = SCALED.matcher(typed);
        if (scaled.matches()) {
            String letter = scaled.group(2).toLowerCase(Locale.ROOT).replace('b', 'g');
            int power = POWERS.indexOf(letter) + 1;
            String decimal = times(scaled.group(1), 1000, power);
            return "write " + decimal
                    + (power > 2 ? "" : ", or " + times(scaled.group(1), 1024, power) + " for powers of 1024");
        }
        Matcher range = RANGE.matcher(typed);
        if (range.matches()) {
            BigInteger end = new BigInteger(range.group(2)).add(BigInteger.ONE);
            return "it takes one number; range(" + range.group(1) + "," + end + ") with -m runs one job for each";
        }
        Matcher rate = RATE.matcher(typed);
        if (rate.matches() && unit.endsWith("/s")) {
            return "write "
                    + plain(new BigDecimal(rate.group(1))
                            .divide(
                                    BigDecimal.valueOf(rate.group(2).equals("min") ? 60 : 3600),
                                    6,
                                    RoundingMode.HALF_UP))
                    + "; the number is in " + unit;
        }
        Matcher second = PER_SECOND.matcher(typed);
        if (second.matches() && unit.endsWith("/s")) {
            return "write " + second.group(1);
        }
        Matcher percent = PERCENT.matcher(typed);
        if (percent.matches() && unit.isEmpty()) {
            return "write " + plain(new BigDecimal(percent.group(1)).movePointLeft(2)) + " for a share";
        }
        Matcher number = WITH_UNIT.matcher(typed);
        return number.matches()
                ? unit.isEmpty() ? "write a number without a unit" : "write a number in " + unit + ", without the unit"
                : "";
    }

    private static String times(String number, int base, int power) {
        return plain(new BigDecimal(number).multiply(BigDecimal.valueOf(base).pow(power)));
    }

    private static String plain(BigDecimal value) {
        return value.stripTrailingZeros().toPlainString();
    }
}
