namespace IpcBench.Analysis.Statistics;

internal static class Normal
{
    /// <summary>
    /// Computes P(Z ≤ z), by Marsaglia's series (2004, Evaluating the normal distribution). 0 or 1 beyond z = ±8.
    /// </summary>
    public static double Below(double z)
    {
        if (Math.Abs(z) > 8)
            return z < 0 ? 0 : 1;
        var (sum, term) = (z, z);
        for (var i = 3; Math.Abs(term) > 1e-17; i += 2)
            sum += term *= z * z / i;
        return 0.5 + sum * Math.Exp(-0.5 * z * z) / Math.Sqrt(2 * Math.PI);
    }

    /// <summary>Finds the z with P(Z ≤ z) = p.</summary>
    public static double Quantile(double p)
    {
        var (low, high) = (-8.0, 8.0);
        for (var i = 0; i < 60; i++)
        {
            var middle = (low + high) / 2;
            (low, high) = Below(middle) < p ? (middle, high) : (low, middle);
        }
        return (low + high) / 2;
    }
}
